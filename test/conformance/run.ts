/**
 * `npm run conformance`: upstream's conformance suite, as published, against the product in a cluster of the harness. Writes
 * the report to docs/conformance. Makes the tools that are missing, and runs in network, mount and process namespaces of
 * its own.
 *
 *   --suite gateway-api     Gateway API's own suite, its profile GATEWAY-HTTP
 *   --picker epp            with the endpoint picker of the Gateway API Inference Extension
 *   --run-test NAME         one test alone, without a report
 *   --organization, --project, --url, --version, --contact   what the report says of the implementation
 */
import { join } from 'node:path';
import { SetupError } from '../../runtime/local/setup-error';
import { runInOwnNamespaces } from '../kubernetes/support/own-namespaces';
import { checkCanRun } from '../kubernetes/tools/check-machine';
import { ensureTools } from '../kubernetes/tools/ensure-tools';
import { conformanceOptions } from './options';
import { ECHO, EPP, ensureConformanceTools, GATEWAY_SUITE, INFERENCE_SUITE } from './tools';

const say = (line: string) => console.error(`conformance: ${line}`);

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const { suite, picker } = readOptions(args);
  checkCanRun();
  await ensureTools(say);
  const program = suite === 'gateway-api' ? GATEWAY_SUITE : INFERENCE_SUITE;
  await ensureConformanceTools([program, ECHO, ...(picker === 'epp' ? [EPP] : [])], say);
  const tsx = join(__dirname, '..', '..', 'node_modules', 'tsx', 'dist', 'cli.mjs');
  return runInOwnNamespaces(process.execPath, [tsx, join(__dirname, 'run-in-cluster.ts'), ...args]).exited;
}

function readOptions(args: readonly string[]) {
  try {
    return conformanceOptions(args);
  } catch (error) {
    throw new SetupError((error as Error).message);
  }
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
