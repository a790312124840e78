import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PodStatus } from '../../runtime/endpoint-picker/status';
import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilReleased } from './support/ledger';
import { failures, type Outcome, servedBy, startLoad } from './support/load';

/** A gateway under load with three pods, of which one gets the fault. */
interface FaultWorld {
  readonly gateway: TestGateway;
  readonly victim: string;
}

export interface PodFault {
  readonly name: string;
  /** In a sentence, for the table. */
  readonly what: string;
  /** No process listens for the pod at first. */
  readonly absent?: true;
  /** Nothing is in flight when it comes. */
  readonly idle?: true;
  inflict(world: FaultWorld): Promise<unknown> | unknown;
  heal(world: FaultWorld): Promise<unknown> | unknown;
  /** New requests are expected to avoid the pod. */
  readonly avoided: boolean;
  /** Where a request that fails is the fault's own doing. */
  readonly mayFail?: (outcome: Outcome, victim: string) => boolean;
}

interface FaultResult {
  readonly requests: number;
  /** In short, of those that may not fail. */
  readonly failed: readonly string[];
  /** Those that may. */
  readonly lost: number;
  /** Milliseconds from the fault until new requests avoid the pod. */
  readonly avoidedMs: number | undefined;
  /** Of requests while the fault lasted, from a second after it began or, where it was avoided, from then on. 0..1. */
  readonly share: number;
  /** Milliseconds from the end of the fault until the pod has its share again; without `untilShare` until it gets requests. */
  readonly backMs: number;
}

const onStream = (outcome: Outcome, victim: string) => outcome.streamed && servedBy(outcome) === victim;

export const POD_FAULTS: readonly PodFault[] = [
  {
    name: 'killed',
    what: 'SIGKILL; started again later',
    inflict: ({ gateway, victim }) => gateway.pod(victim).kill(),
    heal: ({ gateway, victim }) => gateway.pod(victim).restart(),
    avoided: true,
    mayFail: onStream,
  },
  {
    name: 'frozen under load',
    what: 'SIGSTOP: accepts, never answers; SIGCONT later',
    inflict: ({ gateway, victim }) => gateway.pod(victim).freeze(),
    heal: ({ gateway, victim }) => gateway.pod(victim).thaw(),
    avoided: true,
  },
  {
    name: 'frozen while idle',
    what: 'the same, with nothing in flight',
    idle: true,
    inflict: ({ gateway, victim }) => gateway.pod(victim).freeze(),
    heal: ({ gateway, victim }) => gateway.pod(victim).thaw(),
    avoided: true,
  },
  {
    name: 'resetting',
    what: 'accepts, reads the request, resets; metrics answer',
    inflict: ({ gateway, victim }) => gateway.pod(victim).faults({ reset: true }),
    heal: ({ gateway, victim }) => gateway.pod(victim).faults({}),
    avoided: true,
  },
  {
    name: 'out of memory',
    what: 'answers 500 to every request; metrics answer',
    inflict: ({ gateway, victim }) => gateway.pod(victim).faults({ error: 500 }),
    heal: ({ gateway, victim }) => gateway.pod(victim).faults({}),
    avoided: true,
    mayFail: (outcome, victim) => outcome.status === 500 && servedBy(outcome) === victim,
  },
  {
    name: 'slow start',
    what: 'ready while nothing listens; then serves eight times slower for a while',
    absent: true,
    inflict: () => undefined,
    async heal({ gateway, victim }) {
      await gateway.startAbsent(victim);
      await gateway.pod(victim).faults({ slowdown: 8 });
      await sleep(2_000);
      await gateway.pod(victim).faults({});
    },
    avoided: true,
  },
  {
    name: 'terminating',
    what: 'not ready, then SIGTERM when its requests have ended; back as ready',
    async inflict({ gateway, victim }) {
      await gateway.writeReady({ [victim]: false });
    },
    async heal({ gateway, victim }) {
      await gateway.pod(victim).kill();
      await gateway.pod(victim).restart();
      await gateway.writeReady({ [victim]: true });
    },
    avoided: true,
  },
  {
    name: 'metrics gone',
    what: 'its metrics page answers 503; requests are served',
    inflict: ({ gateway, victim }) => gateway.pod(victim).faults({ stopMetrics: true }),
    heal: ({ gateway, victim }) => gateway.pod(victim).faults({}),
    avoided: true,
  },
  {
    name: 'metrics lie: idle',
    what: 'its metrics page tells of no work at all',
    inflict: ({ gateway, victim }) => gateway.pod(victim).faults({ lyingMetrics: 'idle' }),
    heal: ({ gateway, victim }) => gateway.pod(victim).faults({}),
    avoided: false,
  },
  {
    name: 'metrics lie: full',
    what: 'its metrics page tells of a full batch, a full cache and a long queue',
    inflict: ({ gateway, victim }) => gateway.pod(victim).faults({ lyingMetrics: 'full' }),
    heal: ({ gateway, victim }) => gateway.pod(victim).faults({}),
    avoided: false,
  },
  {
    name: 'IP reused',
    what: 'killed, and another pod comes up at its address',
    inflict: ({ gateway, victim }) => gateway.pod(victim).kill(),
    async heal({ gateway, victim }) {
      await gateway.writeObjects('pods.yaml', podObjects(gateway, { [victim]: 'reborn' }));
      await gateway.pod(victim).restart();
    },
    avoided: true,
    mayFail: onStream,
  },
  {
    name: 'clock ahead',
    what: "the router's calendar jumps an hour ahead, then two hours back, then to the truth",
    async inflict({ gateway }) {
      for (let step = 0; step < 3; step++) {
        process.kill(gateway.local.pids().router!, 'SIGUSR2');
        await sleep(1_000);
      }
    },
    heal: () => undefined,
    avoided: false,
  },
];

const NAMES = ['victim', 'one', 'two'] as const;

const VICTIM = NAMES[0];

/** How long a fault lasts after it was avoided. */
const LASTS_MS = 3_000;

/** Runs one fault on a gateway of its own. `untilShare`: waits until the pod has all of its share again. */
export async function runPodFault(fault: PodFault, untilShare: boolean): Promise<FaultResult> {
  const gateway = await withClockScript(() =>
    startTestGateway({
      schedulers: [{ name: 'llama', modelName: 'llama' }],
      pods: NAMES.map((name) => ({
        name,
        scheduler: 'llama',
        speed: 1,
        ...(name === VICTIM && fault.absent && { absent: true as const }),
      })),
    }),
  );
  try {
    return await inflictOn({ gateway, victim: VICTIM }, fault, untilShare);
  } finally {
    await gateway.close();
  }
}

async function inflictOn(world: FaultWorld, fault: PodFault, untilShare: boolean): Promise<FaultResult> {
  const { gateway, victim } = world;
  const address = gateway.address(victim);
  await until('the pods answer', async () => {
    const fresh = (await podStates(gateway.local)).filter(({ metrics }) => metrics === 'fresh');
    return fresh.length === NAMES.length - Number(fault.absent ?? false);
  });
  const load = () =>
    startLoad({
      url: gateway.url,
      model: 'llama',
      concurrency: 16,
      streamed: (index) => index % 2 === 0,
      fields: { max_tokens: 30, ignore_eos: true },
    });
  let running = fault.idle ? undefined : load();
  await until('requests have ended', () => (running?.ended() ?? 50) >= 50, 60_000);

  const see = async () => {
    const pods = await podStates(gateway.local);
    const pod = pods.find((one) => one.address === address);
    return pod === undefined ? undefined : { pod, others: pods.filter((one) => one !== pod) };
  };
  const inflictedAt = performance.now();
  await fault.inflict(world);
  let avoidedMs: number | undefined;
  if (fault.avoided) {
    await until('the pod is avoided', async () => isAvoided((await see())?.pod), 60_000);
    avoidedMs = performance.now() - inflictedAt;
  } else await sleep(1_000);
  running ??= load();
  const before = picksOf(await see());
  await sleep(LASTS_MS);
  const after = picksOf(await see());
  const share = (after.victim - before.victim) / (after.all - before.all);
  await fault.heal(world);
  const healedAt = performance.now();
  const atHealing = picksOf(await see()).victim;
  const hasShare = async () => {
    const seen = await see();
    if (seen === undefined || isAvoided(seen.pod)) return false;
    // A new pod at its address has picks of its own.
    if (!untilShare) return seen.pod.picks !== atHealing;
    const mean = seen.others.reduce((sum, { inFlight }) => sum + inFlight, 0) / seen.others.length;
    return seen.pod.ramping !== true && seen.pod.inFlight >= mean / 2;
  };
  await until('the pod is back', hasShare, 120_000);
  const backMs = performance.now() - healedAt;
  running.stop();
  const outcomes = await running.outcomes;
  const lost = outcomes.filter((outcome) => fault.mayFail?.(outcome, address) && failures([outcome]).length > 0);
  await untilReleased(gateway.local);
  return {
    requests: outcomes.length,
    failed: failures(outcomes.filter((outcome) => !lost.includes(outcome))),
    lost: lost.length,
    avoidedMs,
    share,
    backMs,
  };
}

interface Seen {
  readonly pod: PodStatus;
  readonly others: readonly PodStatus[];
}

function picksOf(seen: Seen | undefined): { readonly victim: number; readonly all: number } {
  const victim = seen?.pod.picks ?? 0;
  return { victim, all: victim + (seen?.others ?? []).reduce((sum, { picks }) => sum + picks, 0) };
}

/** The picker sends nothing there while others are well. */
function isAvoided(pod: PodStatus | undefined): boolean {
  return (
    pod === undefined || !pod.ready || pod.excluded !== undefined || pod.metrics === 'stale' || pod.metrics === 'never'
  );
}

/** The pods of the test gateway, some under another name. */
function podObjects(gateway: TestGateway, renamed: Readonly<Record<string, string>>) {
  return NAMES.map((name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: renamed[name] ?? name,
      namespace: 'default',
      labels: { app: 'llama' },
      ...(renamed[name] !== undefined && { uid: `uid-of-${renamed[name]}` }),
    },
    status: {
      podIP: gateway.address(name).replace(/:\d+$/, ''),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }));
}

/** What `start` starts can have its calendar moved by SIGUSR2. */
async function withClockScript<T>(start: () => Promise<T>): Promise<T> {
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ''} --require=${join(__dirname, 'support', 'shift-clock.cjs')}`.trim();
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
}
