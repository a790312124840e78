import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { type OpenAnswer, openLoad } from './support/open-load';
import { reading } from './support/readings';
import { SMALL_POD_FLAGS } from './support/saturate';
import { chatBody, send } from './support/send';

const OBJECTIVE = 'x-gateway-inference-objective';
const TENANT = 'x-gateway-inference-fairness-id';

function objective(pool: string, name: string, priority: number) {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceObjective',
    metadata: { name, namespace: 'default' },
    spec: { priority, poolRef: { name: pool } },
  };
}

/** One way of flow control each; the model's name is the scheduler's. */
const FLOW = {
  trusting: {
    trustClientHeaders: true,
    bands: { standard: { ttl: '2s', maxRequests: 20 }, sheddable: { ttl: '1s', maxRequests: 10 } },
  },
  distrusting: { bands: { standard: { ttl: '1s', maxRequests: 5 } } },
  lowering: { bands: { sheddable: { ttl: '500ms', maxRequests: 1 } } },
  fair: { maxTenants: 4, bands: { standard: { ttl: '2s', maxRequests: 200 } } },
};
/** Without a pod at first. */
const EMPTY = ['empty', 'zero'];
const SCHEDULERS = [
  ...Object.entries(FLOW).map(([name, flowControl]) => ({ name, modelName: name, flowControl, replicas: 1 })),
  ...EMPTY.map((name) => ({ name, modelName: name, replicas: 1 })),
];
const holding = (emptyPoolHold: string) => ({ bbr: { enabled: true }, overload: { emptyPoolHold } });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: SCHEDULERS,
    spec: holding('1s'),
    objects: [
      objective('trusting', 'interactive', 100),
      objective('trusting', 'batch', -10),
      objective('distrusting', 'raised', 100),
      objective('lowering', 'lowered', -10),
    ],
    pods: [
      ...Object.keys(FLOW).map((name) => ({ name: `${name}-0`, scheduler: name, speed: 6, flags: SMALL_POD_FLAGS })),
      ...EMPTY.map((name) => ({ name: `${name}-0`, scheduler: name, ready: false, absent: true as const })),
    ],
  });
});
afterAll(() => gateway?.close());

/** A prompt that the small pod computes about twelve of in a second. */
const longPrompt = (model: string) => (index: number) =>
  JSON.stringify({ model, prompt: `${index} word `.repeat(700), max_tokens: 8 });

const bandOf = (index: number) => (['interactive', undefined, 'batch', 'batch'] as const)[index % 4];
const byBand = (answers: readonly OpenAnswer[], band: string | undefined) =>
  answers.filter(({ index }) => bandOf(index) === band);
const share = (answers: readonly OpenAnswer[], status: number) =>
  answers.filter(({ response }) => response?.status === status).length / answers.length;
const codeOf = ({ response }: OpenAnswer) => response!.json().error.code as string;

/** The lines of the metrics pages that are about one scheduler. */
const pageOf = async (scheduler: string) =>
  (await gateway.metrics())
    .split('\n')
    .filter((line) => line.includes(`/${scheduler}"`))
    .join('\n');
/** How many requests of a band were held, whatever became of them. */
const held = async (scheduler: string, priority: string) =>
  reading(await pageOf(scheduler), 'inference_extension_flow_control_request_queue_duration_seconds_count', {
    priority,
  });
/** Picks that were made, or that a router did not get in time from a picker process: Envoy balances those. */
const picks = async () => {
  const page = await gateway.metrics();
  const late = reading(page, 'inference_extension_scheduler_attempts_total', { status: 'no-answer' });
  return late + reading(page, 'inference_extension_scheduler_e2e_duration_seconds_count');
};

test('in overload nothing fails open: the router answers each request itself, Critical is served, Sheddable shed first', async () => {
  const before = await picks();
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 8000,
    body: longPrompt('trusting'),
    headers: (index) => {
      const band = bandOf(index);
      return band === undefined ? {} : { [OBJECTIVE]: band };
    },
  });
  for (const answer of answers) {
    const { status, headers } = answer.response!;
    expect([200, 429]).toContain(status);
    if (status === 200) continue;
    expect(['queue_full', 'queue_timeout']).toContain(codeOf(answer));
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  // What Envoy sends on its own when the processor does not answer in time is in no ledger.
  const served = answers.filter(({ response }) => response!.status === 200).length;
  expect((await picks()) - before).toBeGreaterThanOrEqual(served);
  const [critical, standard, sheddable] = ['interactive', undefined, 'batch'].map((band) => byBand(answers, band));
  expect(share(critical!, 200)).toBe(1);
  expect(share(sheddable!, 429)).toBeGreaterThan(share(standard!, 429));
  expect(share(sheddable!, 429)).toBeGreaterThan(0.3);
  await gateway.untilIdle();
}, 60_000);

test('a client that is not trusted cannot raise its priority, by whatever header', async () => {
  const names = [OBJECTIVE, 'x-llm-d-inference-objective', OBJECTIVE.toUpperCase()];
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 3000,
    body: longPrompt('distrusting'),
    headers: (index) => ({ [names[index % names.length]!]: 'raised' }),
  });
  // A Critical queue has room for a thousand, and ten seconds.
  expect(share(answers, 429)).toBeGreaterThan(0.3);
  expect(await held('distrusting', 'standard')).toBeGreaterThan(0);
  expect(await held('distrusting', 'critical')).toBe(0);
}, 60_000);

test('a client can lower its priority', async () => {
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 3000,
    body: longPrompt('lowering'),
    headers: () => ({ [OBJECTIVE]: 'lowered' }),
  });
  expect(share(answers, 429)).toBeGreaterThan(0.3);
}, 60_000);

test('a flood of tenant names takes no more than a bounded number of turns from a tenant that waits', async () => {
  // It waits from the beginning, and sends a little more than it can be given, so that something of it always waits.
  const isSteady = (index: number) => index < 10 || index % 15 === 0;
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 60,
    forMs: 6000,
    body: longPrompt('fair'),
    headers: (index) => ({ [TENANT]: isSteady(index) ? 'steady' : `forged-${index}` }),
  });
  const later = answers.filter(({ index }) => index >= 60);
  const steady = later.filter(({ index }) => isSteady(index));
  const forged = later.filter(({ index }) => !isSteady(index));
  // In one queue for all, both would be served alike: a fifth, which is what the pod can do of this load.
  expect(share(steady, 200)).toBeGreaterThan(2 * share(forged, 200));
  expect(await gateway.metrics()).not.toContain('forged');
}, 60_000);

test('a pool that stays empty is a 503 of the router once the hold is over', async () => {
  const answer = await send(gateway.url, '/v1/chat/completions', { body: chatBody('empty') });
  expect([answer.status, answer.json().error.code]).toEqual([503, 'no_endpoints']);
});

describe('once requests for an empty pool are held for longer', () => {
  beforeAll(async () => {
    await gateway.writeConfig(SCHEDULERS, holding('30s'));
    await gateway.untilInForce('a longer hold', ({ schedulers }) =>
      schedulers.every(({ overload }) => overload.emptyPoolHoldMs === 30_000),
    );
  });

  test('a request whose client leaves while it is held leaves its queue, and reaches no pod', async () => {
    const leaving = new AbortController();
    const waits = send(gateway.url, '/v1/chat/completions', { body: chatBody('empty'), signal: leaving.signal });
    const size = async () =>
      reading(await pageOf('empty'), 'inference_extension_flow_control_queue_size', { priority: 'standard' });
    await until('it is held', async () => (await size()) === 1);
    leaving.abort();
    await expect(waits).rejects.toThrow();
    await until('it is gone', async () => (await size()) === 0);
    await gateway.startAbsent('empty-0');
    await gateway.writeReady({ 'empty-0': true });
    await until('the pod serves', async () => {
      const { status } = await send(gateway.url, '/v1/chat/completions', { body: chatBody('empty') });
      return status === 200;
    });
    expect(await gateway.pod('empty-0').total()).toBe(1);
  });

  test('a request for an empty pool waits for the first pod, as from zero', async () => {
    const answer = send(gateway.url, '/v1/chat/completions', { body: chatBody('zero') });
    await gateway.startAbsent('zero-0');
    await gateway.writeReady({ 'zero-0': true });
    expect((await answer).status).toBe(200);
  });
});
