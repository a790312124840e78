import fc from 'fast-check';
import { pino } from 'pino';
import { ELECTION } from '../../../runtime/controller/controller';
import { createHttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { type LeaderElection, startLeaderElection } from '../../../runtime/kubernetes/leader-election';
import type { LeaseSpec } from '../../../runtime/kubernetes/lease';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { VirtualClock } from '../../support/clocks';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { FakeCluster } from '../../support/fake-api-server/fake-cluster';
import { Candidate, TIMES } from './support/candidate';

const LEASES = resourceOf('coordination.k8s.io/v1', 'Lease');

let time: VirtualClock;
let cluster: FakeCluster;
let candidates: Candidate[];

beforeEach(() => {
  time = new VirtualClock();
  cluster = new FakeCluster();
  candidates = [];
});

function candidate(
  options: Partial<{ offset: number; rate: number; seed: number; times: typeof TIMES }> = {},
): Candidate {
  const made = new Candidate(`c${candidates.length}`, time, cluster, options);
  candidates.push(made);
  return made;
}

const spec = () => cluster.get(LEASES, 'controller', 'system')?.spec as LeaseSpec;
const leaders = () => candidates.filter(({ election }) => election.isLeader()).map(({ name }) => name);

test('the first leads at once, and the lease says so', async () => {
  const a = candidate();
  await time.advance(100);

  expect(a.election.isLeader()).toBe(true);
  expect(a.terms).toEqual(['started']);
  expect(spec()).toEqual({
    holderIdentity: 'c0',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.002000Z',
    renewTime: '2026-01-01T00:00:00.002000Z',
    leaseTransitions: 0,
  });
});

test('a leader renews every 2 s, and others know who it is', async () => {
  const a = candidate();
  await time.advance(100);
  const b = candidate();
  await time.advance(60_000);

  expect(leaders()).toEqual(['c0']);
  expect(b.election.holder()).toBe('c0');
  expect(a.requests.filter((request) => request === 'replace')).toHaveLength(30);
  expect(spec()).toMatchObject({
    renewTime: expect.stringMatching('2026-01-01T00:01:00.0..000Z'),
    leaseTransitions: 0,
  });
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'when the leader of controllers dies another leads within 20 s, and not before the lease is over: draw %i',
  async (seed) => {
    const a = candidate({ times: ELECTION });
    await time.advance(20_000 + 97 * seed);
    candidate({ times: ELECTION, seed });
    await time.advance(5_000);
    a.pauseUntil = Number.POSITIVE_INFINITY;
    await time.advance(ELECTION.leaseMs - ELECTION.retryMs - 1);
    expect(leaders()).toEqual([]);
    await time.advance(20_000 - ELECTION.leaseMs + ELECTION.retryMs);

    expect(leaders()).toEqual(['c1']);
  },
);

test('a lease that another takes over says so', async () => {
  const a = candidate();
  await time.advance(30_000);
  candidate();
  await time.advance(1_000);
  a.pauseUntil = Number.POSITIVE_INFINITY;
  await time.advance(20_000);

  expect(leaders()).toEqual(['c1']);
  expect(spec()).toMatchObject({ holderIdentity: 'c1', leaseTransitions: 1 });
});

test('a leader that stands down gives the lease back when its work has ended, and another leads within 5 s', async () => {
  const a = candidate();
  await time.advance(1_000);
  candidate();
  await time.advance(1_000);
  let end: (() => void) | undefined;
  a.stopping = new Promise((resolve) => {
    end = resolve;
  });

  a.stop();
  await time.advance(1_500);
  expect(a.terms).toEqual(['started', 'aborted', 'stopped']);
  expect(spec().holderIdentity).toBe('c0');
  end!();
  await time.advance(6);
  expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await time.advance(5_000);

  expect(leaders()).toEqual(['c1']);
  await a.election.done;
});

test('a candidate that stands down leaves the lease alone', async () => {
  candidate();
  await time.advance(1_000);
  const b = candidate();
  await time.advance(3_000);
  b.stop();
  await time.advance(1_000);

  expect(spec().holderIdentity).toBe('c0');
  expect(b.requests).not.toContain('replace');
  await b.election.done;
});

test('one that stands down while it takes the lease does not keep it', async () => {
  const a = candidate();
  a.delays = { request: 100, answer: 100 };
  await time.advance(350);
  a.stop();
  await time.advance(2_000);

  expect(spec().holderIdentity).toBe('');
  await a.election.done;
});

test('a leader that cannot renew leads no more after 10 s, and leads again when it can', async () => {
  const a = candidate();
  await time.advance(20_000);
  a.isCutOff = true;
  await time.advance(7_900);
  expect(leaders()).toEqual(['c0']);
  await time.advance(2_200);
  expect(leaders()).toEqual([]);
  expect(a.terms).toEqual(['started', 'aborted', 'stopped']);

  a.isCutOff = false;
  await time.advance(8_000);

  expect(leaders()).toEqual(['c0']);
});

test('one request that hangs does not cost the term', async () => {
  const a = candidate();
  await time.advance(20_000);
  a.isCutOff = true;
  await time.advance(4_000);
  a.isCutOff = false;
  await time.advance(20_000);

  expect(a.terms).toEqual(['started']);
});

test('one that has stood still knows, before any timer of it runs, that it leads no more', async () => {
  const a = candidate();
  await time.advance(20_000);
  a.pauseUntil = time.now() + 30_000;
  await time.advance(12_000);

  expect(a.terms).toEqual(['started']);
  expect(a.election.isLeader()).toBe(false);
});

test('a change of the lease by somebody else does not end the term', async () => {
  const a = candidate();
  await time.advance(1_000);
  const lease = cluster.get(LEASES, 'controller', 'system')!;
  cluster.put(LEASES, { ...lease, metadata: { ...lease.metadata, labels: { seen: 'yes' } } });
  await time.advance(30_000);

  expect(a.terms).toEqual(['started']);
  expect(cluster.get(LEASES, 'controller', 'system')!.metadata.labels).toEqual({ seen: 'yes' });
});

test('a lease that another took ends the term at once', async () => {
  const a = candidate();
  await time.advance(1_000);
  const lease = cluster.get(LEASES, 'controller', 'system')!;
  cluster.put(LEASES, { ...lease, spec: { ...spec(), holderIdentity: 'usurper' } });
  await time.advance(2_500);

  expect(a.terms).toEqual(['started', 'aborted', 'stopped']);
  expect(a.election.holder()).toBe('usurper');
});

test('clocks that are hours apart change nothing', async () => {
  candidate({ offset: 7_200_000 });
  await time.advance(1_000);
  candidate({ offset: -7_200_000 });
  await time.advance(60_000);

  expect(leaders()).toEqual(['c0']);
});

test('limits that leave no room are refused', () => {
  const client = {} as never;
  const log = pino({ level: 'silent' });
  const { signal } = new AbortController();
  const start = () =>
    startLeaderElection({
      client,
      clock: time,
      random: () => 0,
      log,
      signal,
      identity: 'a',
      namespace: 'system',
      name: 'controller',
      ...TIMES,
      renewMs: 15_000,
      onStarted: () => {},
    });

  expect(start).toThrow('renewMs 15000 must be below leaseMs 15000');
});

describe('whatever happens', () => {
  type Fault = { readonly who: number; readonly kind: 'pause' | 'cut' | 'slow' | 'stop'; readonly ms: number };
  const faults: fc.Arbitrary<Fault> = fc.record({
    who: fc.nat(2),
    kind: fc.constantFrom('pause', 'cut', 'slow', 'stop'),
    ms: fc.integer({ min: 0, max: 25_000 }),
  });
  const clocks = fc.record({
    offset: fc.integer({ min: -1e7, max: 1e7 }),
    rate: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
    seed: fc.integer({ min: 1, max: 1e6 }),
  });

  test('there are never two leaders, and afterwards there is one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(clocks, { minLength: 3, maxLength: 3 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 12_000 }), faults), { minLength: 1, maxLength: 25 }),
        async (settings, events) => {
          time = new VirtualClock();
          cluster = new FakeCluster();
          candidates = [];
          for (const setting of settings) candidate(setting);
          const check = () => {
            if (leaders().length > 1) throw new Error(`at ${time.now()} ms these lead: ${leaders().join(', ')}`);
          };
          for (const [wait, { who, kind, ms }] of events) {
            await time.advance(wait, check);
            const one = candidates[who]!;
            if (kind === 'pause') one.pauseUntil = time.now() + ms;
            else if (kind === 'cut') one.isCutOff = !one.isCutOff;
            else if (kind === 'slow') one.delays = { request: ms / 2, answer: ms / 4 };
            else if (ms < 3_000) one.restart();
          }
          for (const one of candidates) {
            one.isCutOff = false;
            one.delays = { request: 1, answer: 1 };
          }
          await time.advance(60_000, check);
          expect(leaders()).toHaveLength(1);
          for (const one of candidates) one.stop();
          await time.advance(60_000, check);
          expect(leaders()).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);
});

test('works over HTTP', async () => {
  const server = await FakeApiServer.start();
  const client = createHttpApiClient({ access: server.access, random: () => 0.5 });
  const stop = new AbortController();
  const log = pino({ level: 'silent' });
  const clock = { now: () => performance.now(), wall: () => Date.now(), sleep: time.sleep.bind(time) };
  const election = await new Promise<LeaderElection>((resolve) => {
    const started = startLeaderElection({
      client,
      clock,
      random: () => 0,
      log,
      signal: stop.signal,
      identity: 'a',
      namespace: 'system',
      name: 'controller',
      ...TIMES,
      onStarted: () => setImmediate(() => resolve(started)),
    });
  });
  expect(election.isLeader()).toBe(true);

  stop.abort();
  await election.done;

  expect(server.cluster.get(LEASES, 'controller', 'system')?.spec).toMatchObject({ holderIdentity: '' });
  await client.close();
  await server.close();
});
