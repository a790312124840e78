import { pino } from 'pino';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { readBackends } from '../../../../runtime/inference-pools/server/route-reader';
import { ApiError, noAnswer } from '../../../../runtime/kubernetes/api-error';
import { manualClock } from '../../controller/support/manual-clock';

const httpRoute = (name: string): KubernetesObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'models' },
  spec: {
    rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name, weight: 3 }] }],
  },
});
const leadsTo = (name: string) => [[{ pool: { namespace: 'models', name }, weight: 3 }]];

/** Answers by name of the route; a function is asked each time. */
function reader(answer: (name: string, namespace: string) => KubernetesObject | undefined) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const clock = manualClock();
  let [open, most] = [0, 0];
  const options = {
    client: {
      async get(_: unknown, name: string, namespace = '') {
        asked.push(`${namespace}/${name}`);
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return answer(name, namespace);
      },
    },
    clock,
    random: () => 0.5,
    log: pino({ level: 'warn' }, { write: (line) => warnings.push((JSON.parse(line) as { msg: string }).msg) }),
  };
  const ending = new AbortController();
  return {
    asked,
    warnings,
    clock,
    ending,
    most: () => most,
    read: (...names: string[]) => readBackends(options, new Set(names), ending.signal),
  };
}

test('each route is asked for once, and those that are gone are left out', async () => {
  const { asked, read } = reader((name) => (name === 'gone' ? undefined : httpRoute(name)));

  const found = await read('models/alpha', 'models/gone', 'models/beta');

  expect([...asked].sort()).toEqual(['models/alpha', 'models/beta', 'models/gone']);
  expect(new Map([...found].sort())).toEqual(
    new Map([
      ['models/alpha', leadsTo('alpha')],
      ['models/beta', leadsTo('beta')],
    ]),
  );
});

test('nothing is asked where no route leads to a pool', async () => {
  const { asked, read } = reader(httpRoute);
  expect([(await read()).size, asked.length]).toEqual([0, 0]);
});

test('a hundred routes are not asked for at once', async () => {
  const { most, read } = reader(httpRoute);
  const found = await read(...Array.from({ length: 100 }, (_, index) => `models/route-${index}`));
  expect([found.size, most()]).toEqual([100, 16]);
});

test.each([
  ['does not answer', noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED')],
  ['has too much to do', new ApiError({ code: 429, reason: 'TooManyRequests', request: 'GET /', message: 'later' })],
  ['is broken', new ApiError({ code: 503, reason: 'ServiceUnavailable', request: 'GET /', message: 'starting' })],
])('it is asked again for as long as the API server %s', async (_, failure) => {
  let failures = 50;
  const { asked, warnings, clock, read } = reader((name) => {
    failures -= 1;
    if (failures >= 0) throw failure;
    return httpRoute(name);
  });

  expect(await read('models/alpha')).toEqual(new Map([['models/alpha', leadsTo('alpha')]]));

  expect(asked.length).toBe(51);
  expect(warnings[0]).toBe('HTTPRoute models/alpha cannot be read: Envoy Gateway waits for it');
  // Delays grow, and not without end.
  expect(clock.now()).toBeGreaterThan(50 * 2_500);
  expect(clock.now()).toBeLessThan(50 * 5_001);
});

test('the API server says when', async () => {
  const busy = new ApiError({ code: 429, reason: 'TooManyRequests', request: '', message: '', retryAfterMs: 60_000 });
  let isBusy = true;
  const { clock, read } = reader((name) => {
    if (!isBusy) return httpRoute(name);
    isBusy = false;
    throw busy;
  });
  await read('models/alpha');
  expect(clock.now()).toBe(60_000);
});

test('a refusal is told at once', async () => {
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden', request: 'GET /', message: 'is forbidden' });
  const { asked, read } = reader(() => {
    throw forbidden;
  });
  await expect(read('models/alpha')).rejects.toBe(forbidden);
  expect(asked.length).toBe(1);
});

test('where one is refused the others are asked for no more', async () => {
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden', request: 'GET /', message: 'is forbidden' });
  const { asked, read } = reader((name) => {
    throw name === 'forbidden' ? forbidden : noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED');
  });
  await expect(read('models/forbidden', 'models/alpha', 'models/beta')).rejects.toBe(forbidden);

  await new Promise(setImmediate);
  const { length } = asked;
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  expect(asked.length).toBe(length);
});

test('nothing is asked any more when nobody waits', async () => {
  const { asked, ending, read } = reader(() => {
    ending.abort(new Error('nobody waits'));
    throw noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED');
  });
  await expect(read('models/alpha')).rejects.toThrow('nobody waits');
  expect(asked.length).toBe(1);
});
