/**
 * Simulates two published capacity studies of llm-d with engines alone and prints simulation beside measurement.
 * `tsx scripts/validate-simulator.ts [--measurements DIR] [--at-face-value]`; DIR holds `37-capacity.csv` and
 * `73-capacity.csv`. `--at-face-value` takes their inter-token latency as published, with the engines that it implies.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine, type Engine } from '../runtime/simulator/engine/engine';
import type { EngineParameters } from '../runtime/simulator/engine/parameters';
import { ENGINE_PROFILES, type EngineProfileName } from '../runtime/simulator/engine/profiles';
import { seededRandom } from '../runtime/simulator/engine/seeded-random';
import { BLOCK_TOKENS } from '../runtime/simulator/engine/types';

/** A study's set-up as its README gives it. Each stage begins when the one before has drained; the first is warm-up. */
interface Study {
  readonly name: string;
  readonly file: string;
  readonly profile: EngineProfileName;
  /**
   * What differs from the profile when the inter-token latency is taken as published: weights read at full memory
   * bandwidth without TP communication, a shared prefix read once for all.
   */
  readonly atFaceValue: Partial<EngineParameters>;
  readonly pods: number;
  readonly groups: number;
  readonly promptsPerGroup: number;
  readonly prefixTokens: number;
  readonly questionTokens: number;
  readonly outputTokens: number;
  /** Requests per second and seconds. */
  readonly stages: readonly (readonly [number, number])[];
}

const STUDIES: readonly Study[] = [
  {
    name: 'Llama-3.1-70B, 4 pods of 4 H100, 83 prefixes of 8,000 tokens',
    file: '37-capacity.csv',
    profile: 'llama-70b-4xh100',
    atFaceValue: {
      weightsFloorSeconds: 0.0105,
      weightsFloorLimitSeconds: 0.0105,
      prefillTokensPerSecond: 15_000,
      sharedReadCost: 0,
    },
    pods: 4,
    groups: 83,
    promptsPerGroup: 3,
    prefixTokens: 8000,
    questionTokens: 1000,
    outputTokens: 1000,
    stages: [
      [9, 30],
      [3, 210],
      [4, 180],
      [5, 120],
      [6, 120],
      [8, 90],
      [10, 70],
      [12, 60],
      [15, 50],
      [20, 50],
    ],
  },
  {
    name: 'Qwen3-32B, 8 pods of 2 H100, 150 prefixes of 6,000 tokens',
    file: '73-capacity.csv',
    profile: 'qwen3-32b-2xh100',
    atFaceValue: {
      weightsFloorSeconds: 0.0098,
      weightsFloorLimitSeconds: 0.0098,
      prefillTokensPerSecond: 18_000,
      sharedReadCost: 0,
    },
    pods: 8,
    groups: 150,
    promptsPerGroup: 5,
    prefixTokens: 6000,
    questionTokens: 1200,
    outputTokens: 1000,
    stages: [
      [15, 50],
      [3, 20],
      [10, 20],
      [15, 20],
      [20, 38],
      [22, 34],
      [25, 30],
      [30, 25],
      [35, 21],
      [40, 38],
      [43, 36],
      [46, 33],
      [49, 30],
      [52, 29],
      [55, 27],
      [57, 26],
      [60, 25],
    ],
  },
];

/** Seeds of one run each; the tables show the mean over them. */
const SEEDS = [1, 2, 3];

const { values } = parseArgs({
  options: { measurements: { type: 'string' }, 'at-face-value': { type: 'boolean', default: false } },
});
/** Whether the published inter-token latency is compared as it stands. */
const atFaceValue = values['at-face-value'];

interface StageResult {
  readonly interTokenMs: number;
  readonly firstTokenP90: number;
  readonly outputTokensPerSecond: number;
}

type Routing = 'precise' | 'random';

/** One run of all stages; results by rate, warm-up left out. */
function simulate(study: Study, routing: Routing, seed: number): Map<number, StageResult> {
  const random = seededRandom(seed);
  const parameters = { ...ENGINE_PROFILES[study.profile].parameters, ...(atFaceValue && study.atFaceValue) };
  const engines = Array.from({ length: study.pods }, (_, pod) =>
    createEngine(parameters, seededRandom(seed * 1000 + pod), { tokenEvents: false }),
  );
  const prompts = shuffledPrompts(study, random);
  const results = new Map<number, StageResult>();
  let now = 0;
  let next = 0;
  for (const [index, [rate, duration]] of study.stages.entries()) {
    const arrivals = Array.from({ length: rate * duration }, () => now + random() * duration).sort((a, b) => a - b);
    const began = now;
    const before = interTokenTotals(engines);
    const submitted = new Map<number, number>();
    const firstTokens: number[] = [];
    const listen = (engine: Engine, until: number) => {
      for (const event of engine.advance(until)) {
        if (event.type === 'first-token') firstTokens.push(event.at - submitted.get(event.id as number)!);
        if (event.type === 'finished') now = Math.max(now, event.at);
      }
    };
    for (const at of arrivals) {
      const prompt = prompts[next++ % prompts.length]!;
      const pod = routing === 'precise' ? prompt.group % study.pods : Math.floor(random() * study.pods);
      const engine = engines[pod]!;
      listen(engine, at);
      submitted.set(next, at);
      engine.submit(at, {
        id: next,
        promptTokens: study.prefixTokens + study.questionTokens,
        outputTokens: study.outputTokens,
        blocks: prompt.blocks,
      });
    }
    for (const engine of engines) {
      while (engine.nextEventTime() < Number.POSITIVE_INFINITY) listen(engine, engine.nextEventTime());
    }
    for (const engine of engines) engine.advance(now);
    if (index === 0) continue;
    const after = interTokenTotals(engines);
    firstTokens.sort((left, right) => left - right);
    results.set(rate, {
      interTokenMs: (1000 * (after.sum - before.sum)) / (after.count - before.count),
      firstTokenP90: firstTokens[Math.floor(firstTokens.length * 0.9)]!,
      outputTokensPerSecond: (arrivals.length * study.outputTokens) / (now - began),
    });
  }
  return results;
}

function interTokenTotals(engines: readonly Engine[]): { sum: number; count: number } {
  let sum = 0;
  let count = 0;
  for (const engine of engines) {
    const { counters } = engine.snapshot();
    sum += counters.interTokenSum;
    count += counters.interTokenCount;
  }
  return { sum, count };
}

/** All prompts in the order in which the load generator repeats them. */
function shuffledPrompts(study: Study, random: () => number): { group: number; blocks: Float64Array }[] {
  const shared = study.prefixTokens / BLOCK_TOKENS;
  const blocks = Math.floor((study.prefixTokens + study.questionTokens) / BLOCK_TOKENS);
  const prompts = Array.from({ length: study.groups * study.promptsPerGroup }, (_, prompt) => {
    const group = prompt % study.groups;
    const ids = Float64Array.from({ length: blocks }, (_block, index) =>
      index < shared ? group * 10_000 + index : 1e9 + prompt * 10_000 + index,
    );
    return { group, blocks: ids, order: random() };
  });
  return prompts.sort((left, right) => left.order - right.order);
}

function meanOf(runs: readonly Map<number, StageResult>[], rate: number, field: keyof StageResult): number {
  return runs.reduce((sum, run) => sum + run.get(rate)![field], 0) / runs.length;
}

/**
 * Rows by `rate routing`. The load generator of these studies took a time at every line of the stream, and each token is
 * a line and an empty line: its mean interval is half of that between tokens, unless taken at face value.
 */
function readMeasurements(path: string): Map<string, StageResult> {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const measured = new Map<string, StageResult>();
  for (const [section, experiment, tokens, , p90, , interval] of rows) {
    const rate = /^QPS = ([\d.]+)$/.exec(section ?? '')?.[1];
    const routing = /^(precise|random)-/.exec(experiment ?? '')?.[1];
    if (rate === undefined || routing === undefined) continue;
    measured.set(`${Number(rate)} ${routing}`, {
      interTokenMs: (atFaceValue ? 1000 : 2000) * Number(interval),
      firstTokenP90: Number(p90),
      outputTokensPerSecond: Number(tokens),
    });
  }
  if (measured.size === 0) throw new Error(`${path}: no rows 'QPS = …' of precise or random scheduling`);
  return measured;
}

function printTable(study: Study, routing: Routing, measured: Map<string, StageResult> | undefined): void {
  const runs = SEEDS.map((seed) => simulate(study, routing, seed));
  const header = ['req/s', 'ITL ms', 'TTFT p90 s', 'output tok/s'].map((name, index) =>
    index === 0 || measured === undefined ? name : `${name} simulated / ${atFaceValue ? 'published' : 'measured'}`,
  );
  console.log(`\n### ${study.name}: ${routing} routing${atFaceValue ? ', at face value' : ''}\n`);
  if (measured !== undefined) header.push('ITL error');
  console.log(`| ${header.join(' | ')} |\n|${' ---: |'.repeat(header.length)}`);
  for (const rate of runs[0]!.keys()) {
    const row = measured?.get(`${rate} ${routing}`);
    const beside = (field: keyof StageResult, digits: number) => {
      const value = meanOf(runs, rate, field).toFixed(digits);
      return row === undefined ? value : `${value} / ${row[field].toFixed(digits)}`;
    };
    const cells = [
      `${rate}`,
      beside('interTokenMs', 1),
      beside('firstTokenP90', 2),
      beside('outputTokensPerSecond', 0),
    ];
    if (row !== undefined) {
      cells.push(`${Math.round(100 * (meanOf(runs, rate, 'interTokenMs') / row.interTokenMs - 1))} %`);
    }
    console.log(`| ${cells.join(' | ')} |`);
  }
}

let tables: Map<string, StageResult>[] = [];
try {
  const folder = values.measurements;
  if (folder !== undefined) tables = STUDIES.map(({ file }) => readMeasurements(join(folder, file)));
} catch (error) {
  console.error(`--measurements: ${(error as Error).message}`);
  process.exit(2);
}
for (const [index, study] of STUDIES.entries()) {
  for (const routing of ['precise', 'random'] as const) printTable(study, routing, tables[index]);
}
