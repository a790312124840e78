/**
 * What losing picker replicas costs: streams of returning conversations at an even rate through a real Envoy, while picker
 * processes are killed or stopped. Prints a table in Markdown. Needs the bundled command (`tsx scripts/bundle.ts`). Linux.
 *
 *   tsx scripts/replica-failover.ts [--rate 200] [--seconds 30]
 */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTestGateway, type TestGateway } from '../test/e2e/support/gateway';
import { type OpenAnswer, openLoad } from '../test/e2e/support/open-load';
import { prefixHitRate, primaryPicker, signalPicker } from '../test/e2e/support/pickers';

const MODEL = 'llama';
const PODS = 8;
const CONVERSATIONS = 200;
/** Part of the load after which the fault begins, and how long it lasts where it ends again, milliseconds. */
const FAULT_AT = 0.4;
const FAULT_MS = 5_000;
/** Of `/proc/PID/stat`, a second. */
const TICKS_PER_SECOND = 100;

interface Case {
  readonly name: string;
  readonly pickers: number;
  readonly fault?: (gateway: TestGateway) => Promise<void>;
}

const CASES: readonly Case[] = [
  { name: 'pickers in the router process', pickers: 0 },
  { name: 'one picker process', pickers: 1 },
  { name: 'two picker processes', pickers: 2 },
  { name: 'two, the one that decides SIGKILLed', pickers: 2, fault: (gateway) => signalPrimary(gateway, 'SIGKILL') },
  { name: 'two, the one that decides SIGSTOPped for 5 s', pickers: 2, fault: stopPrimary },
  { name: 'two, both dead for 5 s', pickers: 2, fault: killAll },
];

async function signalPrimary({ local }: TestGateway, signal: NodeJS.Signals): Promise<void> {
  signalPicker(local, await primaryPicker(local), signal);
}

async function stopPrimary({ local }: TestGateway): Promise<void> {
  const primary = await primaryPicker(local);
  signalPicker(local, primary, 'SIGSTOP');
  await sleep(FAULT_MS);
  signalPicker(local, primary, 'SIGCONT');
}

async function killAll({ local }: TestGateway): Promise<void> {
  const end = performance.now() + FAULT_MS;
  while (performance.now() < end) {
    for (const index of local.pids().pickers.keys()) signalPicker(local, index, 'SIGKILL');
    await sleep(20);
  }
}

async function run({ name, pickers, fault }: Case, rate: number, seconds: number): Promise<string> {
  const names = Array.from({ length: PODS }, (_, index) => `pod-${index}`);
  const gateway = await startTestGateway({
    pickers,
    schedulers: [{ name: 'llama', modelName: MODEL }],
    pods: names.map((pod) => ({ name: pod, scheduler: 'llama' })),
  });
  try {
    const forMs = seconds * 1_000;
    const faulty = sleep(forMs * FAULT_AT).then(() => fault?.(gateway));
    const { router, pickers: processes } = gateway.local.pids();
    const measured = [router, ...processes].filter((pid) => pid !== undefined);
    const before = cpuSeconds(measured);
    const answers = await openLoad({ url: gateway.url, perSecond: rate, forMs, body });
    await faulty;
    // A process that was killed has taken its count with it.
    const cpu = fault === undefined ? (1e6 * (cpuSeconds(measured) - before)) / answers.length : undefined;
    await gateway.untilIdle();
    const hits = await prefixHitRate(gateway.pods.map(({ address }) => address));
    return row([
      name,
      answers.length,
      answers.filter(failed).length,
      `${(100 * hits).toFixed(1)} %`,
      quantile(answers, 0.5),
      quantile(answers, 0.95),
      quantile(answers, 1),
      cpu === undefined ? '' : cpu.toFixed(0),
    ]);
  } finally {
    await gateway.close();
  }
}

function body(index: number): string {
  const conversation = (index * 7919) % CONVERSATIONS;
  const prompt = `${`conversation ${conversation} `.repeat(120)} turn ${Math.floor(index / CONVERSATIONS)}`;
  return JSON.stringify({ model: MODEL, prompt, max_tokens: 8, stream: true });
}

function failed({ response }: OpenAnswer): boolean {
  return response?.status !== 200 || !response.body.toString().endsWith('data: [DONE]\n\n');
}

function quantile(answers: readonly OpenAnswer[], part: number): string {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(0);
}

function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }, 0);
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rate: { type: 'string', default: '200' }, seconds: { type: 'string', default: '30' } },
  });
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  if (!(rate > 0) || !(seconds > 0)) throw new Error('--rate and --seconds are numbers above 0');
  console.log(
    `${rate} streams a second for ${seconds} s over ${CONVERSATIONS} conversations and ${PODS} simulated pods; ` +
      `${cpus().length} × ${cpus()[0]!.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, load and pods on the same machine.\n`,
  );
  console.log(
    row([
      '',
      'streams',
      'failed',
      'prefix hit rate',
      'P50 ms',
      'P95 ms',
      'longest ms',
      'CPU of router and pickers, µs a request',
    ]),
  );
  console.log(row(['---', '---:', '---:', '---:', '---:', '---:', '---:', '---:']));
  for (const one of CASES) console.log(await run(one, rate, seconds));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
