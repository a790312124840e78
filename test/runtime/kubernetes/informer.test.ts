import fc from 'fast-check';
import { pino } from 'pino';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createHttpApiClient, type HttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { type Informer, type InformerOptions, startInformer } from '../../../runtime/kubernetes/informer';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { fastClock } from '../../support/clocks';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';

const PODS = resourceOf('v1', 'Pod');
const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');

/** Delays of the informer pass so much faster than they are. */
const SPEED = 100;

/** Longer than any test. */
const NEVER = 100_000_000;

let server: FakeApiServer;
let client: HttpApiClient;
let stop: AbortController;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createHttpApiClient({ access: server.access, random: () => 0.5, silenceMs: 500, requestTimeoutMs: 500 });
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await client.close();
  await server.close();
});

interface Started {
  readonly informer: Informer;
  /** `+name`, `-name`, `~name`, in order. */
  readonly changes: string[];
  readonly syncs: string[];
  readonly faults: string[];
}

function start(options: Partial<InformerOptions> = {}): Started {
  const started = { changes: [] as string[], syncs: [] as string[], faults: [] as string[] };
  const informer = startInformer({
    client,
    resource: PODS,
    clock: fastClock(SPEED),
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    relistMs: NEVER,
    onChange: (old, now) => {
      started.changes.push(`${old === undefined ? '+' : now === undefined ? '-' : '~'}${(now ?? old)!.metadata.name}`);
    },
    onSync: (state) => started.syncs.push(state),
    onFault: ({ message }) => started.faults.push(message),
    ...options,
  });
  return { informer, ...started };
}

function pod(name: string, phase = 'Running', more: object = {}) {
  return { metadata: { name, namespace: 'team', ...more }, status: { phase } };
}

function namesOf({ informer }: Started): string[] {
  return informer.list().map(({ metadata }) => metadata.name);
}

async function synced(started: Started): Promise<void> {
  await until('it is synced', () => started.informer.state() === 'synced');
  await until('it watches', () => server.openWatches() === 1);
}

const lists = () => server.requests.filter(({ query }) => !query.has('watch')).length;
const watches = () => server.requests.filter(({ query }) => query.has('watch')).length;

test('knows what there is, then what changes', async () => {
  server.cluster.put(PODS, pod('a'));
  server.cluster.put(PODS, pod('b'));
  const started = start();
  await synced(started);
  expect(started.changes).toEqual(['+a', '+b']);
  expect(started.syncs).toEqual(['synced']);

  server.cluster.put(PODS, pod('a', 'Failed'));
  server.cluster.put(PODS, pod('c'));
  server.cluster.delete(PODS, 'b', 'team');

  await until('all is heard', () => started.changes.length === 5);
  expect(started.changes.slice(2)).toEqual(['~a', '+c', '-b']);
  expect(namesOf(started)).toEqual(['a', 'c']);
  expect(started.informer.get('a', 'team')).toMatchObject({ kind: 'Pod', status: { phase: 'Failed' } });
  expect(started.informer.get('a', 'other')).toBeUndefined();
});

test('an object that is made anew under its name is gone and then new', async () => {
  server.cluster.put(PODS, pod('a'));
  const started = start();
  await synced(started);

  server.down();
  server.cluster.delete(PODS, 'a', 'team');
  server.cluster.put(PODS, pod('a'));
  server.cluster.compact();
  server.up();

  await until('it is heard', () => started.changes.length === 3);
  expect(started.changes).toEqual(['+a', '-a', '+a']);
});

test('an object that no longer matches the selector is gone', async () => {
  server.cluster.put(PODS, pod('a', 'Running', { labels: { app: 'x' } }));
  const started = start({ selection: { namespace: 'team', labelSelector: 'app=x' } });
  await synced(started);

  server.cluster.put(PODS, pod('a', 'Running', { labels: { app: 'y' } }));

  await until('it is heard', () => started.changes.length === 2);
  expect(started.changes).toEqual(['+a', '-a']);
});

test('a watch that ends is continued from the last version, without a list', async () => {
  const started = start();
  await synced(started);
  server.cluster.put(PODS, pod('a'));
  await until('it is heard', () => started.changes.length === 1);
  const version = String(server.cluster.version);
  await new Promise((resolve) => setTimeout(resolve, 20));

  server.endWatches();
  await until('it watches again', () => watches() === 2 && server.openWatches() === 1);
  server.cluster.put(PODS, pod('b'));
  await until('the next is heard', () => started.changes.length === 2);

  expect(server.requests.at(-1)!.query.get('resourceVersion')).toBe(version);
  expect(lists()).toBe(1);
  expect(started.faults).toEqual([]);
});

test('a bookmark moves the version that a watch is continued from', async () => {
  const started = start();
  await synced(started);
  const other = server.cluster.put(GATEWAYS, { metadata: { name: 'x', namespace: 'team' } });
  server.bookmark();
  server.cluster.compact();
  await new Promise((resolve) => setTimeout(resolve, 20));

  server.endWatches();
  await until('it watches again', () => watches() === 2 && server.openWatches() === 1);

  expect(server.requests.at(-1)!.query.get('resourceVersion')).toBe(other.metadata.resourceVersion);
  expect(lists()).toBe(1);
});

test('a watch that ends as it begins is not asked for again without a pause', async () => {
  const started = start();
  await synced(started);
  server.answer({ code: 200, body: '', when: ({ query }) => query.has('watch'), times: 1000 });
  server.endWatches();
  await until('some have ended', () => started.faults.length >= 5);

  expect(started.faults[0]).toBe('the watch ended as it began');
  expect(watches()).toBeLessThan(10);
});

test('what happened while the API server was away is heard afterwards, without a list', async () => {
  server.cluster.put(PODS, pod('a'));
  const started = start();
  await synced(started);

  server.down();
  server.cluster.delete(PODS, 'a', 'team');
  server.cluster.put(PODS, pod('b'));
  await until('it has failed several times', () => started.faults.length >= 4);
  expect(namesOf(started)).toEqual(['a']);
  server.up();

  await until('all is heard', () => started.changes.length === 3);
  expect(started.changes).toEqual(['+a', '-a', '+b']);
  expect(lists()).toBe(1);
});

test.each([
  ['at the start of a watch', () => server.cut()],
  ['within a watch', () => server.expireWatches()],
])('a version that is gone %s: all is listed, and what has vanished is told', async (_when, fault) => {
  server.cluster.put(PODS, pod('a'));
  server.cluster.put(PODS, pod('b'));
  const started = start();
  await synced(started);

  server.freeze();
  server.cluster.delete(PODS, 'a', 'team');
  server.cluster.put(PODS, pod('c'));
  server.cluster.compact();
  fault();
  server.cut();

  await until('all is heard', () => started.changes.length === 4);
  expect(started.changes).toEqual(['+a', '+b', '-a', '+c']);
  expect(lists()).toBe(2);
});

test('a connection whose other side is gone is found by its silence', async () => {
  const started = start();
  await synced(started);

  server.freeze();
  server.cluster.put(PODS, pod('a'));

  await until('it is heard', () => started.changes.length === 1);
  expect(started.faults).toEqual([]);
});

test('a version that the server does not know yet is given up', async () => {
  const started = start();
  await synced(started);
  const body = JSON.stringify({
    kind: 'Status',
    code: 504,
    reason: 'Timeout',
    message: 'Too large resource version: 9000, current: 12',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  });
  server.answer({ code: 504, body, when: ({ query }) => query.has('watch') });
  server.cut();

  await until('it lists again', () => lists() >= 2);
});

test('everything is listed again from time to time, whatever the watch says', async () => {
  server.cluster.put(PODS, pod('a'));
  const started = start({ relistMs: 20_000 });
  await synced(started);
  server.mute = true;
  server.cluster.delete(PODS, 'a', 'team');

  await until('the loss is found', () => started.changes.length === 2);

  expect(started.changes).toEqual(['+a', '-a']);
  await until('it lists again and again', () => lists() >= 4);
  expect(started.faults).toEqual([]);
});

test('what has not changed is not told again by a list', async () => {
  server.cluster.put(PODS, pod('a'));
  const started = start({ relistMs: 5_000 });
  await synced(started);
  const before = started.informer.get('a', 'team');

  await until('it has listed again', () => lists() >= 3);

  expect(started.changes).toEqual(['+a']);
  expect(started.informer.get('a', 'team')).toBe(before);
});

describe('a kind that is not served', () => {
  test('is absent, without faults, until it is served', async () => {
    server.cluster.serve(GATEWAYS, false);
    const started = start({ resource: GATEWAYS });
    await until('it is absent', () => started.informer.state() === 'absent');
    await until('it is looked for again', () => lists() >= 3);
    expect(started.faults).toEqual([]);
    expect(started.informer.stalenessMs()).toBeLessThan(11_000 * 5);

    server.cluster.serve(GATEWAYS, true);
    server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });

    await until('its objects are known', () => started.changes.length === 1);
    expect(started.syncs).toEqual(['absent', 'synced']);
  });

  test('is looked for every 10 s', async () => {
    server.cluster.serve(GATEWAYS, false);
    const began = performance.now();
    start({ resource: GATEWAYS });

    await until('it is looked for again', () => lists() >= 6);

    expect(((performance.now() - began) * SPEED) / 5).toBeGreaterThan(9_900);
  });

  test('loses its objects when it is taken away', async () => {
    server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });
    const started = start({ resource: GATEWAYS });
    await synced(started);

    server.freeze();
    server.cluster.serve(GATEWAYS, false);
    server.cut();

    await until('it is absent', () => started.informer.state() === 'absent');
    expect(started.changes).toEqual(['+a', '-a']);
    expect(started.faults.filter((fault) => fault.includes('404'))).toEqual([]);
  });

  test('keeps them for one answer alone', async () => {
    server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });
    const started = start({ resource: GATEWAYS, relistMs: 5_000 });
    await synced(started);
    const before = lists();
    server.answer({ code: 404, body: 'no such page', when: ({ query }) => !query.has('watch') });

    await until('it has listed twice more', () => lists() >= before + 2);

    expect(started.changes).toEqual(['+a']);
    expect(started.syncs).toEqual(['synced']);
  });

  test('is a fault where it is one of the core', async () => {
    server.cluster.serve(PODS, false);
    const started = start();

    await until('it has failed', () => started.faults.length >= 2);

    expect(started.informer.state()).toBe('starting');
  });
});

describe('delays', () => {
  test('double from a quarter of a second to 30 s, and go by what the server asks', async () => {
    const { delays, clock } = recordedClock();
    server.answer({ code: 500, times: 1_000 });
    const started = start({ clock, random: () => 0 });
    await until('it has failed often', () => started.faults.length >= 10);

    expect(delays.slice(0, 10)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
  });

  test('are no longer than allowed', async () => {
    const { delays, clock } = recordedClock();
    server.answer({ code: 500, times: 1_000 });
    const started = start({ clock, random: () => 0, maxBackoffMs: 4_000 });
    await until('it has failed often', () => started.faults.length >= 6);

    expect(delays.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000]);
  });

  test('are at least what the server asks for', async () => {
    const { delays, clock } = recordedClock();
    server.answer({ code: 429, retryAfter: 20 });
    const started = start({ clock, random: () => 0 });
    await synced(started);

    expect(delays[0]).toBe(20_000);
  });

  test('begin anew after a minute in which all was well', async () => {
    const { delays, clock } = recordedClock();
    const started = start({ clock, random: () => 0 });
    await synced(started);
    const failures = async (count: number) => {
      const before = started.faults.length;
      server.down();
      await until('it has failed', () => started.faults.length >= before + count);
      server.up();
      await until('it watches again', () => server.openWatches() === 1);
    };
    await failures(3);
    expect(delays.filter((ms) => ms < 240_000).slice(0, 3)).toEqual([250, 500, 1_000]);

    await failures(1);
    expect(delays.filter((ms) => ms < 240_000)[3]).toBeGreaterThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 70_000 / SPEED));
    const before = delays.length;
    await failures(3);

    const after = delays.slice(before).filter((ms) => ms < 240_000);
    expect(after.slice(0, 3)).toEqual([250, 500, 1_000]);
  });

  function recordedClock() {
    const delays: number[] = [];
    const clock = fastClock(SPEED);
    const sleep = (ms: number, signal?: AbortSignal) => {
      delays.push(ms);
      return clock.sleep(ms, signal);
    };
    return { delays, clock: { ...clock, sleep } };
  }
});

test('staleness is the time since the server last said something', async () => {
  const started = start({ clock: fastClock(1) });
  await synced(started);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started.informer.stalenessMs()).toBeGreaterThanOrEqual(90);

  server.bookmark();
  await until('the bookmark counts', () => started.informer.stalenessMs() < 50);
  server.down();
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(started.informer.stalenessMs()).toBeGreaterThanOrEqual(90);
});

test('objects are frozen, without managed fields, and no more of them is kept than asked for', async () => {
  server.cluster.put(PODS, { ...pod('a'), spec: { containers: [{ name: 'x' }] } });
  server.cluster.put(PODS, pod('b', 'Running', { managedFields: [{ manager: 'kubectl' }] }));
  const trim = ({ apiVersion, kind, metadata, status }: KubernetesObject) => ({ apiVersion, kind, metadata, status });
  const started = start({ trim });
  await synced(started);

  const { status, spec } = started.informer.get('a', 'team')!;
  expect(spec).toBeUndefined();
  expect(() => Object.assign(status as object, { phase: 'Failed' })).toThrow(TypeError);
  expect(started.informer.get('b', 'team')!.metadata).not.toHaveProperty('managedFields');
});

test('a listener that throws harms nobody', async () => {
  server.cluster.put(PODS, pod('a'));
  const heard: string[] = [];
  const started = start({
    onChange: (_old, now) => {
      heard.push(now?.metadata.name ?? '');
      throw new Error('broken');
    },
  });
  await synced(started);
  server.cluster.put(PODS, pod('b'));

  await until('the next is heard', () => heard.length === 2);
  expect(started.faults).toEqual([]);
});

test('a fault is logged once, and its end', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const started = start({ log });
  await synced(started);
  server.answer({ code: 500, times: 4 });
  server.cut();
  await until('it watches again', () => started.faults.length === 5 && server.openWatches() === 1);
  await until('the end is logged', () => lines.includes('pods: watched again'));
  const before = watches();
  server.bookmark();
  server.endWatches();
  await until('it watches on', () => watches() > before && server.openWatches() === 1);

  expect(lines).toEqual([
    expect.stringMatching(/^pods: the watch broke off: .*; what is known of them is kept$/),
    'pods: planned 500; what is known of them is kept',
    'pods: watched again',
  ]);
});

test('ends with its signal, and leaves nothing open', async () => {
  const started = start();
  await synced(started);

  stop.abort();
  await started.informer.done;

  await until('nothing is open', () => server.openWatches() === 0);
  expect(started.faults).toEqual([]);
});

type Step = 'put' | 'delete' | 'recreate' | 'cut' | 'compact' | 'expire' | 'end' | 'outage' | 'freeze' | 'refuse';

test('after any edits, cuts and losses of history it has what the server has, and has told each change once', async () => {
  const steps: fc.Arbitrary<readonly [Step, number]> = fc.tuple(
    fc.constantFrom<Step>(
      'put',
      'put',
      'put',
      'delete',
      'recreate',
      'cut',
      'compact',
      'expire',
      'end',
      'outage',
      'freeze',
      'refuse',
    ),
    fc.nat(4),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (sequence) => {
      const own = new AbortController();
      const told = new Map<string, KubernetesObject>();
      const broken: string[] = [];
      for (const { metadata } of server.cluster.list(PODS)) server.cluster.delete(PODS, metadata.name, 'team');
      let watching = 0;
      const { informer } = start({
        client: {
          ...client,
          async *watch(...args) {
            if (++watching > 1) broken.push('there are two watches');
            try {
              yield* client.watch(...args);
            } finally {
              watching -= 1;
            }
          },
        },
        clock: fastClock(1_000),
        relistMs: 100_000,
        signal: own.signal,
        onChange: (old, now) => {
          const name = (now ?? old)!.metadata.name;
          if (told.get(name) !== old) broken.push(`${name} is told from another object than the last one told`);
          if (old !== undefined && now !== undefined && old.metadata.uid !== now.metadata.uid)
            broken.push(`${name} has another uid`);
          if (now === undefined) told.delete(name);
          else told.set(name, now);
        },
      });
      for (const [step, n] of sequence) {
        await take(step, n);
        if (n === 0) await new Promise((resolve) => setTimeout(resolve, 3));
      }
      server.up();
      const wanted = () => versionsOf(server.cluster.list(PODS));
      await until('it has what the server has', () => versionsOf(informer.list()) === wanted(), 10_000);
      own.abort();
      await informer.done;
      await until('it is closed', () => server.openWatches() === 0);
      expect(versionsOf([...told.values()])).toBe(wanted());
      expect(broken).toEqual([]);
    }),
    { numRuns: 40 },
  );

  async function take(step: Step, n: number): Promise<void> {
    const name = `p${n}`;
    const exists = server.cluster.get(PODS, name, 'team') !== undefined;
    if (step === 'put') server.cluster.put(PODS, pod(name, `${server.cluster.version}`));
    else if (step === 'delete' && exists) server.cluster.delete(PODS, name, 'team');
    else if (step === 'recreate' && exists) {
      server.cluster.delete(PODS, name, 'team');
      server.cluster.put(PODS, pod(name));
    } else if (step === 'cut') server.cut();
    else if (step === 'compact') server.cluster.compact();
    else if (step === 'expire') server.expireWatches();
    else if (step === 'end') server.endWatches();
    else if (step === 'freeze') server.freeze();
    else if (step === 'refuse') server.answer({ code: 503 });
    else if (step === 'outage') {
      server.down();
      await new Promise((resolve) => setTimeout(resolve, n));
      server.up();
    }
  }
}, 120_000);

function versionsOf(objects: readonly KubernetesObject[]): string {
  return objects
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join('\n');
}
