/**
 * What large uploads cost the requests beside them: latency of small chat requests at a fixed rate, with and without
 * 20 clients that each send bodies of 50 MB, in turns within one run. Linux only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { startChild } from './overhead/child-process';
import { startGatewayLeg } from './overhead/gateway-leg';
import type { Leg } from './overhead/leg';
import type { LoadReport, LoadRequest } from './overhead/load-generator';
import { describeRun } from './overhead/machine';
import type { PodsRequest, PodsResponse } from './overhead/pod-server';
import { machineBusySeconds, processUsage } from './overhead/process-usage';
import { spread } from './overhead/quantiles';
import type { UploadReport, UploadRequest } from './uploads/upload-generator';

const MODEL = 'meta-llama/Llama-3.1-8B-Instruct';
const PODS = 10;
const SMALL = { bodyBytes: 4_096, perSecond: 100 };
const LARGE = { bodyBytes: 50_000_000, concurrency: 20 };
const ROUNDS = 5;
const ROUND_MS = 6_000;
const WARM_UP_MS = 2_000;
/** The uploads are all under way before the small requests are measured. */
const LEAD_MS = 500;

interface Round {
  readonly small: LoadReport;
  readonly uploads?: UploadReport;
  readonly routerCores: number;
  readonly envoyCores: number;
  readonly machineCores: number;
}

async function main(): Promise<void> {
  const startedAt = new Date();
  const envoyBinary = await findEnvoy(process.env, console.error);
  const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
  await build({
    entryPoints: ['overhead/load-generator', 'overhead/pod-server', 'uploads/upload-generator'].map((child) =>
      join(__dirname, `${child}.ts`),
    ),
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
  });
  const generator = startChild<LoadRequest, LoadReport>(join(folder, 'load-generator.js'));
  const uploader = startChild<UploadRequest, UploadReport>(join(folder, 'upload-generator.js'));
  const pods = startChild<PodsRequest, PodsResponse>(join(folder, 'pod-server.js'));
  let leg: Leg | undefined;
  try {
    const { addresses, port } = await pods.call({ kind: 'start', pods: PODS, model: MODEL });
    leg = await startGatewayLeg(
      { envoyBinary, folder, model: MODEL, pods: addresses, podPort: port },
      resolve('dist/inference-gateway.js'),
    );
    const running = leg;
    const small = (durationMs: number) =>
      generator.call({
        port: running.port,
        model: MODEL,
        bodyBytes: SMALL.bodyBytes,
        load: { kind: 'open', perSecond: SMALL.perSecond },
        durationMs,
      });
    await small(WARM_UP_MS);
    const quiet: Round[] = [];
    const busy: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await measure(running, async () => ({ small: await small(ROUND_MS) })));
      busy.push(
        await measure(running, async () => {
          const uploads = uploader.call({
            port: running.port,
            model: MODEL,
            ...LARGE,
            durationMs: LEAD_MS + ROUND_MS,
          });
          await new Promise((elapsed) => setTimeout(elapsed, LEAD_MS));
          return { small: await small(ROUND_MS), uploads: await uploads };
        }),
      );
      console.error(
        `round ${round + 1} of ${ROUNDS}: p99 ${quiet.at(-1)!.small.p99Ms.toFixed(1)} ms, with uploads ${busy.at(-1)!.small.p99Ms.toFixed(1)} ms`,
      );
    }
    console.log(`${describeRun(envoyBinary, startedAt)} · ${ROUNDS} rounds of ${ROUND_MS / 1_000} s\n`);
    console.log(table(quiet, busy));
    if ([...quiet, ...busy].some(({ small, uploads }) => small.failed > 0 || (uploads?.failed ?? 0) > 0)) {
      console.error(
        'requests failed',
        JSON.stringify([...quiet, ...busy].map((r) => [r.small.failure, r.uploads?.failure])),
      );
      process.exitCode = 1;
    }
  } finally {
    await leg?.close();
    await Promise.allSettled([generator.close(), uploader.close(), pods.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(leg: Leg, run: () => Promise<Pick<Round, 'small' | 'uploads'>>): Promise<Round> {
  const before = snapshot(leg);
  const result = await run();
  const after = snapshot(leg);
  const perSecond = (used: keyof typeof before) => (after[used] - before[used]) / (after.at - before.at);
  return {
    ...result,
    routerCores: perSecond('router'),
    envoyCores: perSecond('envoy'),
    machineCores: perSecond('machine'),
  };
}

function snapshot(leg: Leg) {
  const { envoy, processor } = leg.pids();
  return {
    envoy: processUsage(envoy).cpuSeconds,
    router: processUsage(processor!).cpuSeconds,
    machine: machineBusySeconds(),
    at: performance.now() / 1_000,
  };
}

function table(quiet: readonly Round[], busy: readonly Round[]): string {
  const row = (title: string, read: (round: Round) => number | undefined, digits = 1) => {
    const cell = (rounds: readonly Round[]) => {
      const found = spread(rounds.map(read));
      if (found === undefined) return '-';
      const [median, min, max] = [found.median, found.min, found.max].map((value) => value.toFixed(digits));
      return `${median} (${min}–${max})`;
    };
    return `| ${title} | ${cell(quiet)} | ${cell(busy)} |`;
  };
  const { perSecond, bodyBytes } = SMALL;
  return [
    `| median of the rounds (least–most) | without uploads | ${LARGE.concurrency} uploads of ${LARGE.bodyBytes / 1e6} MB |`,
    '|---|---|---|',
    row(`p50 of ${perSecond} req/s of ${bodyBytes / 1024} KiB, ms`, ({ small }) => small.p50Ms, 2),
    row('p99, ms', ({ small }) => small.p99Ms),
    row('most, ms', ({ small }) => small.maxMs),
    row('p99 of lateness of the client itself, ms', ({ small }) => small.latenessP99Ms),
    row('failed', ({ small, uploads }) => small.failed + (uploads?.failed ?? 0), 0),
    row('uploads, MB/s', ({ uploads }) => uploads?.megabytesPerSecond, 0),
    row('one upload, p50, ms', ({ uploads }) => uploads?.p50Ms, 0),
    row('router, cores', ({ routerCores }) => routerCores, 2),
    row('Envoy, cores', ({ envoyCores }) => envoyCores, 2),
    row('the whole machine, cores', ({ machineCores }) => machineCores, 2),
  ].join('\n');
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
