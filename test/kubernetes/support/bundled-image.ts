import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { ProgramImage } from './kubelet/images';
import { ROOT } from './standard-images';

/** The image of a program of this repository's tests, bundled now. Its folder is in the run's own memory. */
export async function bundledImage(entryPoint: string): Promise<ProgramImage> {
  const folder = await mkdtemp('/run/bundled-');
  await build({
    entryPoints: [entryPoint],
    outfile: join(folder, 'program.js'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  });
  return {
    entrypoint: ['node', '/app/program.js'],
    files: { '/app': folder, '/usr/local/bin/node': join(ROOT, 'node_modules', 'node', 'bin', 'node') },
  };
}
