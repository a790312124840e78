/**
 * What large uploads cost the requests beside them: latency of small chat requests at a fixed rate, without uploads, with
 * 20 clients that each send bodies of 50 MB at 20 Mbit/s, and with 20 that send as fast as loopback lets them, which is as
 * fast as the processors are; in turns within one run. Takes about 4 minutes. Linux only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
const BYTES_PER_SECOND = 2_500_000;
/** The clients of the paced uploads begin one by one over this time. */
const PACED_UPLOAD_MS = (LARGE.bodyBytes / BYTES_PER_SECOND) * 1_000;
const ENVOY_WORKERS = 2;
const ROUNDS = 3;
const WARM_UP_MS = 2_000;

/** What goes on beside the small requests, and for how long they are measured. */
interface Scene {
  readonly title: string;
  readonly measureMs: number;
  readonly uploads?: { readonly leadMs: number; readonly bytesPerSecond?: number };
}

const SCENES: readonly Scene[] = [
  { title: 'without uploads', measureMs: 10_000 },
  {
    title: `20 uploads of 50 MB at ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s each`,
    measureMs: PACED_UPLOAD_MS,
    uploads: { leadMs: PACED_UPLOAD_MS, bytesPerSecond: BYTES_PER_SECOND },
  },
  { title: '20 uploads of 50 MB at full speed', measureMs: 6_000, uploads: { leadMs: 500 } },
];

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
      { envoyConcurrency: ENVOY_WORKERS },
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
    const results = SCENES.map((): Round[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, { title, measureMs, uploads }] of SCENES.entries()) {
        const uploading = uploads && {
          port: running.port,
          model: MODEL,
          ...LARGE,
          ...uploads,
          durationMs: uploads.leadMs + measureMs,
        };
        const sent = uploading && uploader.call(uploading);
        if (uploads) await sleep(uploads.leadMs);
        const measured = await measure(running, () => small(measureMs));
        results[index]!.push({ ...measured, ...(sent && { uploads: await sent }) });
        console.error(`round ${round + 1} of ${ROUNDS}, ${title}: p99 ${measured.small.p99Ms.toFixed(1)} ms`);
      }
    }
    console.log(`${describeRun(envoyBinary, startedAt)} · ${ROUNDS} rounds\n`);
    console.log(table(results));
    const faults = results.flat().flatMap(({ small, uploads }) => [small.failure, uploads?.failure]);
    if (faults.some((fault) => fault !== undefined)) {
      console.error(`requests failed: ${[...new Set(faults)].filter(Boolean).join(', ')}`);
      process.exitCode = 1;
    }
  } finally {
    await leg?.close();
    await Promise.allSettled([generator.close(), uploader.close(), pods.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(leg: Leg, run: () => Promise<LoadReport>): Promise<Round> {
  const before = snapshot(leg);
  const small = await run();
  const after = snapshot(leg);
  const perSecond = (used: keyof typeof before) => (after[used] - before[used]) / (after.at - before.at);
  return {
    small,
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

function table(results: readonly (readonly Round[])[]): string {
  const row = (title: string, read: (round: Round) => number | undefined, digits = 1) => {
    const cells = results.map((rounds) => {
      const found = spread(rounds.map(read));
      if (found === undefined) return '-';
      const [median, min, max] = [found.median, found.min, found.max].map((value) => value.toFixed(digits));
      return `${median} (${min}–${max})`;
    });
    return `| ${[title, ...cells].join(' | ')} |`;
  };
  return [
    `| median of the rounds (least–most) | ${SCENES.map(({ title }) => title).join(' | ')} |`,
    `|---|${SCENES.map(() => '---|').join('')}`,
    row(`p50 of ${SMALL.perSecond} req/s of ${SMALL.bodyBytes / 1024} KiB, ms`, ({ small }) => small.p50Ms, 2),
    row('p99, ms', ({ small }) => small.p99Ms),
    row('most, ms', ({ small }) => small.maxMs),
    row('p99 of the lateness of the client itself, ms', ({ small }) => small.latenessP99Ms),
    row('failed', ({ small, uploads }) => small.failed + (uploads?.failed ?? 0), 0),
    row('uploads completed', ({ uploads }) => uploads?.completed, 0),
    row('MB/s', ({ uploads }) => uploads?.megabytesPerSecond, 0),
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
