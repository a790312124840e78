/**
 * Prints what faults of pods and of the router do to requests, as the tables of docs/reliability.md: on the real Envoy,
 * with simulated model servers as processes. Needs the bundled command. Arguments: names of faults; default all.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { POD_FAULTS, type PodFault, runPodFault } from '../test/e2e/fault-matrix';
import { runRouterFaults } from '../test/e2e/fault-matrix-router';

const ROUTER = 'router';

async function main(names: readonly string[]): Promise<void> {
  const known = [...POD_FAULTS.map(({ name }) => name), ROUTER];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}; known: ${known.join(', ')}`);
  const isAsked = (name: string) => names.length === 0 || names.includes(name);
  const podFaults = POD_FAULTS.filter(({ name }) => isAsked(name));
  const date = new Date().toISOString().slice(0, 10);
  console.log(`${date}, commit ${commit()}, ${cpus().length} CPU cores`);
  let failed = 0;
  if (podFaults.length > 0) failed += await podTable(podFaults);
  if (isAsked(ROUTER)) failed += await routerTable();
  if (failed > 0) process.exitCode = 1;
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: __dirname, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' and changes'}`;
}

async function podTable(faults: readonly PodFault[]): Promise<number> {
  head(
    'fault',
    'what happens',
    'requests',
    'failed',
    'lost with it',
    'avoided after',
    'share meanwhile',
    'share again after',
  );
  let all = 0;
  for (const fault of faults) {
    const { requests, failed, lost, avoidedMs, share, backMs } = await runPodFault(fault, true);
    all += failed.length;
    const avoided = avoidedMs === undefined ? 'not to be' : seconds(avoidedMs);
    row(
      fault.name,
      fault.what,
      requests,
      failed.length,
      lost,
      avoided,
      `${Math.round(share * 100)} %`,
      seconds(backMs),
    );
    for (const line of failed.slice(0, 5)) console.error(line);
  }
  return all;
}

async function routerTable(): Promise<number> {
  head('fault', 'requests', 'failed', 'median before', 'median meanwhile', 'slowest meanwhile');
  let all = 0;
  for (const { name, requests, failed, beforeMs, duringMs, slowestMs } of await runRouterFaults()) {
    all += failed;
    row(name, requests, failed, milliseconds(beforeMs), milliseconds(duringMs), milliseconds(slowestMs));
  }
  return all;
}

function head(...cells: readonly string[]): void {
  console.log();
  row(...cells);
  row(...cells.map(() => '---'));
}

function row(...cells: ReadonlyArray<string | number>): void {
  console.log(`| ${cells.join(' | ')} |`);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const milliseconds = (ms: number) => `${ms.toFixed(0)} ms`;

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
