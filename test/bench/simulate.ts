/**
 * How long the fleet simulator takes: a million requests over a hundred pods at seven tenths of what they can do, once
 * for round robin and once for the gateway. Run: `npx tsx test/bench/simulate.ts [REQUESTS] [POLICY,…]`.
 */
import { performance } from 'node:perf_hooks';
import type { MetricsSource } from '../../runtime/endpoint-picker/metrics-source';
import type { FleetRequest, Workload } from '../../runtime/simulator/fleet/fleet-request';
import type { Choice, HeldChoice, PolicyKind } from '../../runtime/simulator/fleet/policy';
import { runFleet } from '../../runtime/simulator/fleet/run-fleet';
import { POLICIES } from '../../runtime/simulator/policies';
import { scenarioRun } from '../../runtime/simulator/run/scenario-run';
import { parseScenario } from '../../runtime/simulator/scenarios/scenario';

const PODS = 100;

/** 28.5 req/s of these sizes fill a pod. */
const RATE_PER_SECOND = 0.7 * 28.5 * PODS;

const TARGET_SECONDS = 120;

function main(requests = '1000000', policies = 'round-robin,gateway'): void {
  const seconds = policies.split(',').map((name) => bench(name, Number(requests)));
  if (seconds.length > 1) console.log(`${policies}: ${(seconds.at(-1)! / seconds[0]!).toFixed(2)} times as long`);
}

/** Returns CPU seconds. */
function bench(name: string, requests: number): number {
  const policy = POLICIES[name];
  if (policy === undefined)
    throw new Error(`no policy ${JSON.stringify(name)}: use ${Object.keys(POLICIES).join(', ')}`);
  const watch: Stopwatch = { ms: 0 };
  const scenario = parseScenario({
    name: 'speed',
    title: 'Many pods, many requests.',
    basis: 'Sizes as of homogeneous-8b.',
    fleet: [{ profile: 'llama-8b-h100', pods: PODS }],
    ratePerSecond: RATE_PER_SECOND,
    rates: [RATE_PER_SECOND],
    arrivals: { process: 'poisson' },
    promptTokens: { kind: 'lognormal', mean: 800, cv: 0.96, max: 12288 },
    outputTokens: { kind: 'lognormal', mean: 200, cv: 0.77, max: 4096 },
    firstTokenLimitSeconds: 2,
    warmupSeconds: 0,
    arrivalSeconds: (2 * requests) / RATE_PER_SECOND,
  });
  const run = scenarioRun(scenario, { policy: timed(policy, watch), seed: 1 });
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const result = runFleet({ ...run, workload: first(requests, run.workload) });
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1e6;
  const p95 = result.firstTokenSeconds[Math.floor(result.firstTokenSeconds.length * 0.95)]!;
  const perRequest = (seconds: number) => ((seconds * 1e6) / requests).toFixed(1);
  console.log(
    `${name}: ${requests} requests over ${PODS} pods in ${wall.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU ` +
      `(target ${TARGET_SECONDS} s); a request ${perRequest(wall)} µs, of that ${perRequest(watch.ms / 1000)} in the ` +
      `policy and its metrics; TTFT P95 ${p95.toFixed(3)} s, ${result.refused + result.errors} without answer`,
  );
  return cpu;
}

function* first(count: number, workload: Workload): Generator<FleetRequest> {
  let left = count;
  for (const request of workload) {
    if (left-- === 0) return;
    yield request;
  }
  if (left > 0) throw new Error(`the workload ended ${left} requests early`);
}

interface Stopwatch {
  ms: number;
}

/** The policy with the time measured that its decisions take, and what it makes of ends and of scrapes. */
function timed(policy: PolicyKind, watch: Stopwatch): PolicyKind {
  function measure<Result>(action: () => Result): Result {
    const start = performance.now();
    const result = action();
    watch.ms += performance.now() - start;
    return result;
  }

  function timedChoice(choice: Choice | HeldChoice): Choice | HeldChoice {
    if (typeof choice === 'string' || !('pods' in choice) || choice.ticket === undefined) return choice;
    const { ticket } = choice;
    return { ...choice, ticket: { ...ticket, ended: (ok) => measure(() => ticket.ended(ok)) } };
  }

  function timedMetrics(metrics: MetricsSource): MetricsSource {
    return {
      watch: (target) =>
        metrics.watch({
          ...target,
          sent: () => measure(() => target.sent()),
          answered: (answer) => measure(() => target.answered(answer)),
        }),
      close: () => metrics.close(),
    };
  }

  return {
    ...policy,
    create(view) {
      const inner = policy.create({ ...view, metrics: timedMetrics(view.metrics) });
      return { choose: (request) => timedChoice(measure(() => inner.choose(request))) };
    },
  };
}

main(...process.argv.slice(2));
