import { pino } from 'pino';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { readBackends } from '../../../../runtime/inference-pools/server/route-reader';
import type { ApiClient } from '../../../../runtime/kubernetes/api-client';
import { ApiError, noAnswer } from '../../../../runtime/kubernetes/api-error';
import { VirtualClock } from '../../../support/clocks';

type Get = ApiClient['get'];

const REFUSAL = new ApiError({ code: 403, reason: 'Forbidden', request: 'GET /', message: 'is forbidden' });
const AWAY = noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED');

const httpRoute = (name: string, namespace: string): KubernetesObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace },
  spec: { rules: [{ backendRefs: [{ name: 'plain', weight: 7 }] }] },
});
const there: Get = (_, name, namespace) => Promise.resolve(httpRoute(name, namespace!));

let clock: VirtualClock;
let stop: AbortController;
beforeEach(() => {
  clock = new VirtualClock();
  stop = new AbortController();
});

function read(get: Get, ...names: readonly string[]) {
  const options = { client: { get }, clock, random: () => 0.5, log: pino({ level: 'silent' }) };
  return readBackends(options, new Set(names), stop.signal);
}

test('each is read by its namespace and name, and told what it leads to', async () => {
  const asked: string[] = [];
  const get: Get = (resource, name, namespace, signal) => {
    asked.push(`${resource.kind} ${namespace} ${name}`);
    return there(resource, name, namespace, signal);
  };

  const found = await read(get, 'models/chat', 'far/mail');

  expect(asked.sort()).toEqual(['HTTPRoute far mail', 'HTTPRoute models chat']);
  expect(Object.fromEntries(found)).toEqual({ 'models/chat': [[{ weight: 7 }]], 'far/mail': [[{ weight: 7 }]] });
});

test('one that is gone is left out', async () => {
  const get: Get = (resource, name, ...rest) =>
    name === 'gone' ? Promise.resolve(undefined) : there(resource, name, ...rest);

  expect([...(await read(get, 'models/gone', 'models/chat')).keys()]).toEqual(['models/chat']);
});

test('without any nobody is asked', async () => {
  expect((await read(() => Promise.reject(REFUSAL))).size).toBe(0);
});

test('of many sixteen are read at once', async () => {
  let [open, most] = [0, 0];
  const get: Get = async (...args) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise(setImmediate);
    open -= 1;
    return there(...args);
  };

  const found = await read(get, ...Array.from({ length: 100 }, (_, n) => `models/route-${n}`));

  expect([found.size, most]).toEqual([100, 16]);
});

test.each<[string, ApiError]>([
  ['does not answer', AWAY],
  ['is overloaded', new ApiError({ code: 429, reason: 'TooManyRequests', request: 'GET /', message: 'wait' })],
  ['has a fault', new ApiError({ code: 503, reason: 'ServiceUnavailable', request: 'GET /', message: 'no etcd' })],
])('an API server that %s is asked again, until it does', async (_, failure) => {
  let fails = 20;
  const get: Get = (...args) => {
    fails -= 1;
    return fails >= 0 ? Promise.reject(failure) : there(...args);
  };
  const reading = read(get, 'models/chat');

  await clock.advance(120_000);

  expect((await reading).size).toBe(1);
});

test('it is left as long as it asks for', async () => {
  let asked = 0;
  const failure = new ApiError({ code: 429, reason: 'TooManyRequests', request: 'GET /', message: 'wait', retryAfterMs: 60_000 });
  const get: Get = (...args) => {
    asked += 1;
    return asked === 1 ? Promise.reject(failure) : there(...args);
  };
  const reading = read(get, 'models/chat');

  await clock.advance(59_000);
  expect(asked).toBe(1);
  await clock.advance(1_000);
  await reading;
});

test('where it refuses one all have failed, and nobody waits for the others', async () => {
  let asked = 0;
  const get: Get = (_, name) => {
    asked += 1;
    return Promise.reject(name === 'refused' ? REFUSAL : AWAY);
  };

  await expect(read(get, 'models/refused', 'models/chat', 'models/mail')).rejects.toBe(REFUSAL);

  const before = asked;
  await clock.advance(60_000);
  expect(asked).toBe(before);
});

test('with the signal it ends, with its reason', async () => {
  const reason = new Error('cancelled');
  const reading = read(() => Promise.reject(AWAY), 'models/chat');
  await clock.advance(1_000);

  stop.abort(reason);

  await expect(reading).rejects.toBe(reason);
});
