import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { toolPath } from '../tools/tools-folder';
import { certManagerImage } from './install-cert-manager';
import type { Images } from './kubelet/images';

/** Of this checkout. */
export const ROOT = join(__dirname, '..', '..', '..');
const NONROOT = 65_532;

/**
 * The images that the gateway is made of: `inference-gateway` has what the Dockerfile copies from this checkout, and no
 * more; those of Envoy, Envoy Gateway and cert-manager are the real programs.
 */
export async function standardImages(): Promise<Images> {
  const gateway = { '/usr/local/bin/envoy-gateway': toolPath('envoy-gateway') };
  return {
    'inference-gateway': {
      entrypoint: ['node', '/app/dist/inference-gateway.js'],
      files: { ...(await copiedFiles()), '/usr/local/bin/node': join(ROOT, 'node_modules', 'node', 'bin', 'node') },
      user: NONROOT,
      workingDir: '/app',
    },
    'envoyproxy/envoy': { entrypoint: ['envoy'], files: { '/usr/local/bin/envoy': await findEnvoy() }, user: NONROOT },
    ...certManagerImage(),
    'envoyproxy/gateway': { entrypoint: ['envoy-gateway'], files: gateway, user: NONROOT },
  };
}

/** By where it is in the image. */
async function copiedFiles(): Promise<Record<string, string>> {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const copies = [...dockerfile.matchAll(/^COPY (\S+) (\S+)$/gm)];
  return Object.fromEntries(copies.map(([, from = '', to = '']) => [to, join(ROOT, from)]));
}
