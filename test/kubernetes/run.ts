/**
 * The suite on a real Kubernetes control plane: `npm run test:kubernetes`. Makes the tools that are missing, and runs jest
 * in network, mount and process namespaces of its own, which end with it and with all that was started there. Arguments
 * go to jest.
 */
import { join } from 'node:path';
import { SetupError } from '../../runtime/local/setup-error';
import { ECHO, ensureConformanceTools, INFERENCE_SUITE } from '../conformance/tools';
import { runInOwnNamespaces } from './support/own-namespaces';
import { checkCanRun } from './tools/check-machine';
import { ensureTools } from './tools/ensure-tools';

const ROOT = join(__dirname, '..', '..');
const say = (line: string) => console.error(`test:kubernetes: ${line}`);

async function main(): Promise<number> {
  checkCanRun();
  await ensureTools(say);
  await ensureConformanceTools([INFERENCE_SUITE, ECHO], say);
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const config = join(ROOT, 'jest.kubernetes.config.json');
  // What the tests started ends with the namespaces. Node, left to end by itself, may wait for ever for a connection whose
  // other side has gone with a pod.
  const args = [jest, '-c', config, '--runInBand', '--forceExit', ...process.argv.slice(2)];
  process.env.IGW_TEST_KUBERNETES = '1';
  return runInOwnNamespaces(process.execPath, args).exited;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (error instanceof SetupError) say(error.message);
    else console.error(error);
    process.exitCode = 1;
  },
);
