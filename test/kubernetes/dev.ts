/**
 * `tsx test/kubernetes/dev.ts`: a cluster to develop against, until Ctrl-C. It says how to enter it: its addresses and
 * files are those of namespaces of its own.
 */
import { join } from 'node:path';
import { SetupError } from '../../runtime/local/setup-error';
import { runInOwnNamespaces } from './support/own-namespaces';
import { until } from './support/until';
import { checkCanRun } from './tools/check-machine';
import { ensureTools } from './tools/ensure-tools';

const say = (line: string) => console.error(`kubernetes:dev: ${line}`);

async function main(): Promise<number> {
  checkCanRun();
  await ensureTools(say);
  const tsx = join(__dirname, '..', '..', 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const program = runInOwnNamespaces(process.execPath, [
    tsx,
    join(__dirname, 'dev-cluster.ts'),
    ...process.argv.slice(2),
  ]);
  const pid = await Promise.race([program.exited.then(() => undefined), until('namespaces', () => program.pid())]);
  if (pid !== undefined) say(`enter with: nsenter -t ${pid} -n -m -p --wd="$PWD" bash`);
  return program.exited;
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
