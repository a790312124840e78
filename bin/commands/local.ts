import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import logUpdate from 'log-update';
import pc from 'picocolors';
import { startDemoFleet } from '../../runtime/local/demo/demo-fleet';
import { demoRequests } from '../../runtime/local/demo/demo-requests';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { type LocalGateway, startLocalGateway } from '../../runtime/local/local-gateway';
import { untilPodsAnswer } from '../../runtime/local/pods-answer';
import { SetupError } from '../../runtime/local/setup-error';
import { statusTable } from '../../runtime/local/status-table';
import { assertRecordable } from '../../runtime/recording/recording-file';
import { MAX_TRACE_BYTES } from '../../runtime/simulator/run/trace-file';
import { createTerminalLogger } from '../../runtime/telemetry/log';
import { EXIT_FAULT, EXIT_USAGE, fail } from '../exit';

interface LocalFlags {
  readonly file?: string[];
  readonly listen: { readonly host: string; readonly port: number };
  readonly once?: true;
  readonly verbose?: true;
  readonly record?: string;
  readonly recordLimit: number;
  readonly pickers: number;
}

const TABLE_EVERY_MS = 500;
const MEBIBYTE = 1024 * 1024;
/** Each is a process, and all are told of every request. */
const MAX_PICKERS = 16;
/** Nothing reads a larger recording. */
const MAX_RECORD_MEBIBYTES = MAX_TRACE_BYTES / MEBIBYTE;

export function localCommand(): Command {
  return new Command('local')
    .description('run the gateway on this machine: a real Envoy, the router and the pickers')
    .option('-f, --file <path...>', 'file or folder of YAML objects (default: a demo on simulated model servers)')
    .addOption(
      new Option('--listen <ip:port>', 'where clients connect; port 0 takes a free one')
        .argParser(parseListen)
        .default({ host: '127.0.0.1', port: 8080 }, '127.0.0.1:8080'),
    )
    .addOption(
      new Option('--pickers <count>', 'picker processes beside the router; 0: the pickers are in the router process')
        .argParser(parsePickers)
        .default(0),
    )
    .option('--once', 'end after the demo (with -f: once everything is up); the exit code tells whether all was well')
    .option('--verbose', 'log what the parts do')
    .option('--record <file>', 'record every decision: sizes and sealed hashes, no text; a recording is added to')
    .addOption(
      new Option('--record-limit <MiB>', 'size of the file at which recording ends')
        .argParser(parseMebibytes)
        .default(MAX_RECORD_MEBIBYTES),
    )
    .action(runLocal);
}

async function runLocal(flags: LocalFlags): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = () => {
    closing ??= (async () => {
      for (const close of closers.reverse()) await close().catch(() => {});
    })();
    return closing;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Only what was to end by itself has failed when it is ended.
    const code = flags.once ? 128 + constants.signals[signal] : 0;
    // Not once: without a listener left the live table's own would end the process before its parts have ended.
    process.on(signal, () => void closeAll().then(() => process.exit(code)));
  }

  try {
    const demo = flags.file === undefined;
    const paths = flags.file ?? [demoFolder()];
    const envoy = await findEnvoy(process.env, say).catch((error: unknown) => fail(error, EXIT_USAGE));
    const record = flags.record === undefined ? undefined : resolve(flags.record);
    if (record !== undefined) {
      await assertRecordable(record).catch((error: unknown) => fail(error, EXIT_USAGE));
    }
    if (demo) closers.push((await startDemoFleet(paths)).close);
    const level = flags.verbose ? 'debug' : 'info';
    const starting = startLocalGateway({
      paths,
      listen: flags.listen,
      envoy,
      routerScript: join(__dirname, 'inference-gateway.js'),
      pickers: flags.pickers,
      log: createTerminalLogger(level, aboveTable(), pc.isColorSupported),
      logLevel: flags.verbose ? 'debug' : 'warn',
      ...(record !== undefined && { record: { path: record, limitBytes: flags.recordLimit * MEBIBYTE } }),
    });
    closers.push(async () => (await starting).close());
    const gateway = await starting;
    if (closing !== undefined) return await closing;
    say(`${pc.bold('Gateway')}  ${gateway.url}/v1   any OpenAI client, only its base URL changes`);
    say(`${pc.bold('Metrics')}  ${gateway.metricsUrl()}   the router`);
    for (const url of gateway.pickerMetricsUrls())
      say(`${pc.bold('Metrics')}  ${url}   a picker: pods, queues, flow control`);
    if (demo) {
      say(
        pc.dim(
          "The demo's model servers are simulated: their timing is a model of the hardware, their answers random words.",
        ),
      );
      await showDemo(gateway);
    }
    if (flags.once) {
      say(statusTable(await untilPodsAnswer(gateway)));
    } else if (process.stdout.isTTY) {
      await liveTable(gateway, () => closing !== undefined);
    } else {
      say('Running; end it with Ctrl-C.');
      await new Promise(() => {});
    }
  } catch (error) {
    // After a signal the parts end one by one, and what that breaks is no fault.
    if (closing !== undefined) return await closing;
    await closeAll();
    fail(error, error instanceof SetupError ? EXIT_USAGE : EXIT_FAULT);
  }
  await closeAll();
  process.exit(0);
}

async function showDemo(gateway: LocalGateway): Promise<void> {
  const podOf = new Map(
    gateway.state().schedulers.flatMap(({ endpoints }) => endpoints.map(({ address, pod }) => [address, pod])),
  );
  for await (const result of demoRequests(gateway.url, () => performance.now())) {
    const ttft = result.ttftMilliseconds === undefined ? '' : `first token ${Math.round(result.ttftMilliseconds)} ms, `;
    say(`\n${pc.cyan(result.title)}`);
    say(`  answer  ${result.answer}`);
    say(`  pod     ${podOf.get(result.endpoint) ?? 'unknown'} (${result.endpoint})`);
    say(`  why     ${result.why}`);
    say(pc.dim(`  time    ${ttft}total ${Math.round(result.milliseconds)} ms`));
  }
  say('');
}

async function liveTable(gateway: LocalGateway, closing: () => boolean): Promise<void> {
  while (!closing()) {
    const footer = pc.dim(`${gateway.url}/v1   metrics ${gateway.metricsUrl() ?? 'away'}   Ctrl-C ends it.`);
    logUpdate(`${statusTable(await gateway.pools())}\n${footer}`);
    await sleep(TABLE_EVERY_MS);
  }
  logUpdate.done();
}

/** Lines on standard error that go above the live table instead of through it. */
function aboveTable(): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (process.stdout.isTTY) logUpdate.clear();
      process.stderr.write(chunk, done);
    },
  });
}

/** `ip:port` of --listen. */
function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]+)):(?<port>\d{1,5})$/.exec(text);
  const { six, four, port } = match?.groups ?? {};
  const isAddress = isIP(six ?? '') === 6 || isIP(four ?? '') === 4;
  if (!isAddress || Number(port) > 65_535) {
    throw new InvalidArgumentError('Expected IP:PORT, such as 127.0.0.1:8080 or [::1]:8080.');
  }
  return { host: six ?? four ?? '', port: Number(port) };
}

function parsePickers(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_PICKERS) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${MAX_PICKERS}.`);
}

/** MiB of --record-limit. */
function parseMebibytes(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= MAX_RECORD_MEBIBYTES) return Number(text);
  throw new InvalidArgumentError(
    `Expected a whole number of MiB from 1 to ${MAX_RECORD_MEBIBYTES}: larger recordings cannot be read.`,
  );
}

/** The examples beside the bundled command. */
function demoFolder(): string {
  const folder = join(__dirname, '../examples/local');
  if (!existsSync(folder)) throw new Error(`the demo's objects are not at ${folder}; name your own with -f`);
  return folder;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
