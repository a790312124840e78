/** Makes what whole-system tests start as child processes: the bundled command and the Envoy binary. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function globalSetup(): void {
  const root = join(__dirname, '..', '..');
  if (process.versions.node.split('.')[0] !== '24') {
    throw new Error(`Tests run on Node 24, this is ${process.version}. Run them with "npm test".`);
  }
  const tsx = join(root, 'node_modules', '.bin', 'tsx');
  execFileSync(tsx, ['scripts/bundle.ts'], { cwd: root, stdio: 'inherit' });
  execFileSync(tsx, ['scripts/ensure-envoy.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
