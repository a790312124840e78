/** Bundles the command with its dependencies into `dist/inference-gateway.js`, as the images ship it, with its data. */
import { build } from 'esbuild';
import { writeCrds } from './bundle/write-crds';

/** Before anything else: an older Node fails on the bundle's dependencies with a trace that explains nothing. */
const NODE_CHECK = `if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error('error: inference-gateway needs Node.js 24 or later; this is ' + process.version + '. In a checkout, use npm run.');
  process.exit(2);
}`;

void build({
  entryPoints: ['bin/inference-gateway.ts'],
  outfile: 'dist/inference-gateway.js',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Native code, which a bundle cannot hold: loaded from node_modules with the first pod that publishes KV events.
  external: ['zeromq'],
  sourcemap: true,
  logLevel: 'warning',
  banner: { js: `#!/usr/bin/env node\n${NODE_CHECK}` },
});

void writeCrds();
