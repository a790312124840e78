import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Freezer } from './freezer';
import type { Leg, LegOptions } from './leg';
import { type Cell, measureLoad, measureScraping, type Rig, type Sample, type ScrapeSample } from './measurement';
import type { Plan } from './plan';
import type { Results } from './tables';

export interface RunOptions {
  readonly plan: Plan;
  readonly rig: Rig;
  /** All pods that the rig has, and their port. */
  readonly pods: readonly string[];
  readonly podPort: number;
  readonly envoyBinary: string;
  /** Exists and is empty. */
  readonly folder: string;
  readonly starters: ReadonlyArray<(options: LegOptions) => Promise<Leg>>;
  readonly freezer: Freezer;
  /** Whatever runs, so that it can be ended from outside. */
  readonly running: Set<Leg>;
  progress(line: string): void;
}

/** Measures every cell of the plan on every leg, the legs in turn within each round. */
export async function runPlan(options: RunOptions): Promise<Results> {
  const samples: Sample[] = [];
  const scrapes: ScrapeSample[] = [];
  for (const count of options.plan.podCounts) {
    const legs = await startLegs(options, count);
    await measureRounds(options, legs, count, samples, scrapes);
    for (const leg of legs) {
      await leg.close();
      options.running.delete(leg);
    }
  }
  return { samples, scrapes };
}

async function startLegs(options: RunOptions, count: number): Promise<readonly Leg[]> {
  const legs: Leg[] = [];
  for (const [i, start] of options.starters.entries()) {
    const folder = join(options.folder, `${count}-${i}`);
    await mkdir(folder);
    const leg = await start({
      envoyBinary: options.envoyBinary,
      folder,
      model: options.rig.model,
      pods: options.pods.slice(0, count),
      podPort: options.podPort,
    });
    legs.push(leg);
    options.running.add(leg);
  }
  return legs;
}

async function measureRounds(
  options: RunOptions,
  legs: readonly Leg[],
  pods: number,
  samples: Sample[],
  scrapes: ScrapeSample[],
): Promise<void> {
  const { plan, rig, freezer, progress } = options;
  const alone = async <T>(leg: Leg, measure: () => Promise<T>): Promise<T> => {
    const others = legs.filter((other) => other !== leg).flatMap((other) => Object.values(other.pids()) as number[]);
    freezer.freeze(others);
    try {
      return await measure();
    } finally {
      freezer.thaw();
    }
  };

  for (const leg of legs) {
    progress(`${pods} pods: warming ${leg.name}`);
    await alone(leg, () => warmUp(options, leg));
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const cell of cellsOf(plan, pods)) {
      await rig.pods.call({ kind: 'working', working: true });
      // Each round begins with another leg, so that no leg always follows the same one.
      for (const leg of rotated(legs, round)) {
        const sample = await alone(leg, () => measureLoad(rig, leg, cell, round, plan));
        progress(describe(sample));
        samples.push(sample);
      }
    }
    const gateway = legs.find((leg) => leg.name === 'gateway');
    if (gateway === undefined) continue;
    for (const working of [false, true]) {
      const sample = await alone(gateway, () => measureScraping(rig, gateway, pods, working, plan.scrapeMs));
      progress(`${pods} pods ${working ? 'busy' : 'idle'}: ${sample.cores.toFixed(3)} cores`);
      scrapes.push(sample);
    }
  }
}

async function warmUp({ plan, rig }: RunOptions, leg: Leg): Promise<void> {
  for (const bodyBytes of plan.bodyBytes) {
    const load = { kind: 'closed', concurrency: 16 } as const;
    await rig.generator.call({ port: leg.port, model: rig.model, bodyBytes, load, durationMs: plan.firstWarmUpMs });
  }
}

function cellsOf(plan: Plan, pods: number): readonly Cell[] {
  return plan.bodyBytes.flatMap((bodyBytes) => plan.loads.map((load) => ({ pods, bodyBytes, load })));
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function describe({ cell, leg, round, perSecond, p50Ms, failed, failure }: Sample): string {
  const load = cell.load.kind === 'open' ? `${cell.load.perSecond}/s` : `c=${cell.load.concurrency}`;
  const trouble = failed === 0 ? '' : `, ${failed} FAILED (${failure})`;
  return `round ${round + 1}, ${cell.pods} pods, ${cell.bodyBytes / 1024} KiB, ${load}, ${leg}: ${perSecond.toFixed(0)} req/s, p50 ${p50Ms.toFixed(2)} ms${trouble}`;
}
