/** Bundles the command with its dependencies into `dist/inference-gateway.js`, as the images ship it. */
import { build } from 'esbuild';

void build({
  entryPoints: ['bin/inference-gateway.ts'],
  outfile: 'dist/inference-gateway.js',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  sourcemap: true,
  logLevel: 'warning',
  banner: { js: '#!/usr/bin/env node' },
});
