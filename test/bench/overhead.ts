/**
 * What the gateway costs a request: the same load on the same pods through (a) Envoy alone, (b) Envoy with the gateway,
 * (c) Envoy with a processor that does nothing, (d) Envoy with the gateway whose picker is a process of its own.
 * `--quick` takes about a minute. Linux only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { findEnvoy } from '../../runtime/local/envoy-binary';
import { startAloneLeg } from './overhead/alone-leg';
import { startChild } from './overhead/child-process';
import { startEmptyLeg } from './overhead/empty-leg';
import { createFreezer } from './overhead/freezer';
import { startGatewayLeg } from './overhead/gateway-leg';
import type { Leg } from './overhead/leg';
import type { LoadReport, LoadRequest } from './overhead/load-generator';
import { describeRun } from './overhead/machine';
import { FULL, QUICK } from './overhead/plan';
import type { PodsRequest, PodsResponse } from './overhead/pod-server';
import { runPlan } from './overhead/run-plan';
import { loadTable, scrapeTable } from './overhead/tables';
import { targetTable } from './overhead/targets';

const MODEL = 'meta-llama/Llama-3.1-8B-Instruct';
/** Exit code, as shells have it after Ctrl-C. */
const INTERRUPTED = 130;
const CHILDREN = ['load-generator', 'pod-server', 'empty-processor'] as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const plan = values.quick ? QUICK : FULL;
  const startedAt = new Date();
  const progress = (line: string) => console.error(line);
  const envoyBinary = await findEnvoy(process.env, progress);
  const folder = await mkdtemp(join(tmpdir(), 'overhead-'));
  const script = (child: (typeof CHILDREN)[number]) => join(folder, `${child}.js`);
  // As the product is shipped: the loader of TypeScript would slow the processes down.
  await build({
    entryPoints: CHILDREN.map((child) => join(__dirname, 'overhead', `${child}.ts`)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
  });

  const freezer = createFreezer();
  const running = new Set<Leg>();
  const generator = startChild<LoadRequest, LoadReport>(script('load-generator'));
  const pods = startChild<PodsRequest, PodsResponse>(script('pod-server'));
  const end = async () => {
    freezer.thaw();
    await Promise.allSettled([...running].map((leg) => leg.close()));
    await Promise.allSettled([generator.close(), pods.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  let ending: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      ending ??= end();
      void ending.then(() => process.exit(INTERRUPTED));
    });
  }

  try {
    const { addresses, port } = await pods.call({ kind: 'start', pods: Math.max(...plan.podCounts), model: MODEL });
    const results = await runPlan({
      plan,
      rig: { generator, pods, model: MODEL },
      pods: addresses,
      podPort: port,
      envoyBinary,
      folder,
      starters: [
        startAloneLeg,
        (options) => startEmptyLeg(options, script('empty-processor')),
        (options) => startGatewayLeg(options, resolve('dist/inference-gateway.js')),
        (options) => startGatewayLeg(options, resolve('dist/inference-gateway.js'), { pickers: 1 }),
      ],
      freezer,
      running,
      progress,
    });
    console.log(`${describeRun(envoyBinary, startedAt)} · ${plan.rounds} rounds of ${plan.measureMs / 1_000} s\n`);
    console.log(`${targetTable(results)}\n\n${loadTable(results)}\n\n${scrapeTable(results)}`);
    if (results.samples.some((sample) => sample.failed > 0)) {
      console.error('requests failed');
      process.exitCode = 1;
    }
  } finally {
    ending ??= end();
    await ending;
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
