import type { EngineMetrics } from '../../runtime/endpoint-picker/engine-metrics';
import {
  endpointStates,
  engineMetrics,
  pickRequest,
  schedulerState,
} from '../runtime/endpoint-picker/support/fixtures';
import { ADDRESS, inFlight, PODS } from '../runtime/endpoint-picker/support/picks';
import {
  destinationsOf,
  FLOW_CONTROL,
  refusal,
  type Sent,
  soFar,
  type WholeRouter,
  wholeRouter,
} from './support/whole-router';

const HOLD = { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60, emptyPoolHoldMs: 7_000 };
const NOT_READY = endpointStates(4).map((endpoint) => ({ ...endpoint, ready: false }));
const FULL = engineMetrics({ waiting: 50, running: 100, kvUsage: 1 });
const CONTENDED = { flowControl: FLOW_CONTROL, overload: HOLD };

describe('an empty pool and a contended one', () => {
  test('an empty pool is 503: a client that retries at once finds nobody', async () => {
    const router = wholeRouter({ endpoints: NOT_READY, flowControl: FLOW_CONTROL });
    expect(refusal(await router.send().answer)).toMatchObject({ status: 503, code: 'no_endpoints' });
  });

  test('a request that waited its time in front of pods that are full is 429, and says when to come back', async () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(FULL);
    const { answer } = router.send();
    expect(await soFar(answer)).toBeUndefined();
    passUnder(router, FULL, 5_000);
    const { status, retryAfter } = refusal(await answer);
    expect(status).toBe(429);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  });

  test('a cold start and a full pool have holds of their own', async () => {
    const empty = wholeRouter({ ...CONTENDED, endpoints: NOT_READY });
    const full = wholeRouter(CONTENDED);
    full.rig.metrics.tellAll(FULL);
    const [cold, contended] = [empty.send().answer, full.send().answer];
    expect([await soFar(cold), await soFar(contended)]).toEqual([undefined, undefined]);
    for (const router of [empty, full]) passUnder(router, FULL, 4_999);
    expect([await soFar(cold), await soFar(contended)]).toEqual([undefined, undefined]);
    for (const router of [empty, full]) router.pass(1);
    expect([await soFar(cold), refusal(await contended).status]).toEqual([undefined, 429]);
    empty.pass(2_000);
    expect(refusal(await cold).status).toBe(503);
  });

  test.each([true, false])(
    'a pool that has endpoints is never 503, however far beyond its capacity it is asked (flow control: %s)',
    async (on) => {
      const router = wholeRouter(on ? CONTENDED : { overload: { ...HOLD, maxQueueTimeMs: 200 } });
      router.rig.metrics.tellAll(FULL);
      const sent = Array.from({ length: 100 }, () => router.send({}, requestOf(8_000)).answer);
      await soFar(sent[0]!);
      passUnder(router, FULL, 5_000);
      const statuses = (await Promise.all(sent)).map((answer) => (answer.kind === 'immediate' ? answer.status : 200));
      expect(new Set(statuses)).toEqual(new Set(on ? [429] : [200, 429]));
    },
  );

  test('from zero: what was held for an empty pool is sent as soon as a pod is ready', async () => {
    const router = wholeRouter({ endpoints: NOT_READY, overload: HOLD });
    const { answer } = router.send();
    router.pass(3_000);
    expect(await soFar(answer)).toBeUndefined();
    router.update(schedulerState({ overload: HOLD }));
    expect(destinationsOf(await answer)).toHaveLength(3);
  });

  test('a router that shuts down answers what it holds with 503, which clients retry, and not with 500', async () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(FULL);
    const held = router.send().answer;
    expect(await soFar(held)).toBeUndefined();
    router.admission.close();
    expect([refusal(await held).status, refusal(await router.send().answer).status]).toEqual([503, 503]);
  });
});

describe('dispatch goes on', () => {
  test('when the metrics of every pod are stale, however full they were', async () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(FULL);
    router.pass(60_000);
    const first = await Promise.all(Array.from({ length: 8 }, () => router.send().answer));
    expect(first.map((answer) => destinationsOf(answer).length)).toEqual(Array(8).fill(3));
  });

  test('when an engine tells a KV usage above 1: the others are not taken for full as well', async () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(engineMetrics());
    router.rig.metrics.tell(PODS[0], engineMetrics({ running: 100, kvUsage: 1.7 }));
    for (let i = 0; i < 12; i++) {
      const [choice] = destinationsOf(await router.send().answer);
      expect(choice).not.toBe(ADDRESS.get(PODS[0]));
    }
  });

  test('when every engine says that it is full though nothing is at work there', async () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(engineMetrics({ kvUsage: 1 }));
    expect(await soFar(router.send().answer)).toBeDefined();
  });

  test('the moment that a request ends: nobody waits for the next scrape to learn of it', async () => {
    const router = wholeRouter({ ...CONTENDED, endpoints: endpointStates(1) });
    router.rig.metrics.tellAll('no-metrics');
    const { running, held } = await fill(router);
    await running[0]!.respond(200);
    expect(await soFar(held.answer)).toBeDefined();
  });
});

describe('requests in flight', () => {
  test('fill a pool before any scrape shows them, and though no engine tells how full it is', async () => {
    const router = wholeRouter({ ...CONTENDED, endpoints: endpointStates(1) });
    router.rig.metrics.tellAll('no-metrics');
    const { running } = await fill(router);
    expect(running.length).toBeLessThan(200);
  });

  test('that another replica has sent count against the limits of this one', async () => {
    const alone = wholeRouter({ ...CONTENDED, endpoints: endpointStates(1) });
    const beside = wholeRouter({ ...CONTENDED, endpoints: endpointStates(1) });
    for (const router of [alone, beside]) router.rig.metrics.tellAll(engineMetrics({ kvCapacityTokens: 100_000 }));
    const told = { ...pickRequest({ promptBytes: 200_000 }), maxOutputTokens: 30_000 };
    beside.rig.picker.enter(told, [ADDRESS.get(PODS[0])!], 0);
    beside.rig.metrics.tellAll(engineMetrics({ kvCapacityTokens: 100_000 }));
    expect(await soFar(alone.send().answer)).toBeDefined();
    expect(await soFar(beside.send().answer)).toBeUndefined();
  });

  test('held or sent, of clients that went away leave nothing behind', async () => {
    const router = wholeRouter({ ...CONTENDED, endpoints: endpointStates(1) });
    router.rig.metrics.tellAll('no-metrics');
    const { running, held } = await fill(router);
    const waiting = () => Object.values(router.admission.waiting()[0]!.bands).map(({ requests }) => requests);
    expect(waiting()).toEqual([0, 1, 0]);
    held.abort();
    expect(waiting()).toEqual([0, 0, 0]);
    for (const one of running) one.abort();
    await soFar(held.answer);
    expect(inFlight(router.rig)).toEqual([0]);
    expect(waiting()).toEqual([0, 0, 0]);
  });
});

describe('a request that may go to a part of the pool only', () => {
  function ask(router: WholeRouter, subset?: readonly string[]) {
    const outcomes: string[] = [];
    router.admission.pickThen(
      pickRequest(subset === undefined ? {} : { subset }),
      ({ outcome }) => outcomes.push(outcome),
      () => outcomes.push('failed'),
    );
    return outcomes;
  }

  test('of which nothing is there is told so at once, and holds nobody back', () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(engineMetrics());
    const none = ask(router, ['10.9.9.9:8000']);
    expect(ask(router)).toEqual(['picked']);
    expect(none).toEqual(['no-endpoints']);
  });

  test('that is full holds nobody back who may go elsewhere', () => {
    const router = wholeRouter(CONTENDED);
    router.rig.metrics.tellAll(engineMetrics());
    router.rig.metrics.tell(PODS[0], FULL);
    ask(router, [ADDRESS.get(PODS[0])!]);
    expect(ask(router)).toEqual(['picked']);
  });
});

/** Time in which every pod goes on telling these metrics. */
function passUnder(router: WholeRouter, metrics: EngineMetrics, milliseconds: number): void {
  for (let left = milliseconds; left > 0; left -= 200) {
    router.pass(Math.min(200, left));
    router.rig.metrics.tellAll(metrics);
  }
}

function requestOf(bytes: number): string {
  return JSON.stringify({ model: 'llama', prompt: 'x'.repeat(bytes) });
}

/** Sends long prompts until one is held. */
async function fill(router: WholeRouter) {
  const running: Sent[] = [];
  for (;;) {
    const sent = router.send({}, requestOf(4_000));
    if ((await soFar(sent.answer)) === undefined) return { running, held: sent };
    running.push(sent);
    if (running.length > 2_000) throw new Error('nothing is ever held');
  }
}
