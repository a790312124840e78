import { startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilReleased } from './support/ledger';
import { type OpenAnswer, openLoad } from './support/open-load';
import { SMALL_POD_FLAGS } from './support/saturate';
import { chatBody, send } from './support/send';
import { until } from './support/until';

const OBJECTIVE = 'x-gateway-inference-objective';
const TENANT = 'x-gateway-inference-fairness-id';

function objective(name: string, priority: number) {
  return {
    apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
    kind: 'InferenceObjective',
    metadata: { name, namespace: 'default' },
    spec: { priority, poolRef: { name: 'llama' } },
  };
}
const OBJECTIVES = [objective('interactive', 100), objective('batch', -10)];
const QUEUES = { standard: { ttl: '2s', maxRequests: 20 }, sheddable: { ttl: '1s', maxRequests: 10 } };

function scheduler(flowControl: Readonly<Record<string, unknown>>) {
  return { name: 'llama', modelName: 'llama', flowControl };
}

let gateway: TestGateway;
afterEach(() => gateway?.close());

async function start(flowControl: Readonly<Record<string, unknown>>, spec = {}, absent = false) {
  gateway = await startTestGateway({
    schedulers: [scheduler(flowControl)],
    spec,
    objects: OBJECTIVES,
    pods: [
      {
        name: 'llama-0',
        scheduler: 'llama',
        speed: 6,
        flags: SMALL_POD_FLAGS,
        ...(absent && { ready: false, absent: true }),
      },
    ],
  });
}

/** A prompt that the small pod computes about twelve of in a second. */
const longPrompt = (index: number) =>
  JSON.stringify({ model: 'llama', prompt: `${index} word `.repeat(700), max_tokens: 8 });

const bandOf = (index: number) => (['interactive', undefined, 'batch', 'batch'] as const)[index % 4];
const byBand = (answers: readonly OpenAnswer[], band: string | undefined) =>
  answers.filter(({ index }) => bandOf(index) === band);
const share = (answers: readonly OpenAnswer[], status: number) =>
  answers.filter(({ response }) => response?.status === status).length / answers.length;
const codeOf = ({ response }: OpenAnswer) => response!.json().error.code as string;

test('in overload nothing fails open: the router answers each request itself, Critical is served, Sheddable shed first', async () => {
  await start({ trustClientHeaders: true, bands: QUEUES });
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 8000,
    body: longPrompt,
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
  expect((await podStates(gateway.local)).reduce((sum, { picks }) => sum + picks, 0)).toBe(served);
  const [critical, standard, sheddable] = ['interactive', undefined, 'batch'].map((band) => byBand(answers, band));
  expect(share(critical!, 200)).toBe(1);
  expect(share(sheddable!, 429)).toBeGreaterThan(share(standard!, 429));
  expect(share(sheddable!, 429)).toBeGreaterThan(0.3);
  await untilReleased(gateway.local);
}, 60_000);

test('a client that is not trusted cannot raise its priority, by whatever header', async () => {
  await start({ bands: { standard: { ttl: '1s', maxRequests: 5 } } });
  const names = [OBJECTIVE, 'x-llm-d-inference-objective', OBJECTIVE.toUpperCase()];
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 3000,
    body: longPrompt,
    headers: (index) => ({ [names[index % names.length]!]: 'interactive' }),
  });
  // A Critical queue has room for a thousand, and ten seconds.
  expect(share(answers, 429)).toBeGreaterThan(0.3);
  const page = await gateway.metrics();
  expect(page).toMatch(/flow_control_request_queue_duration_seconds_count\{[^}]*priority="standard"[^}]*\} [1-9]/);
  expect(page).not.toMatch(/flow_control_request_queue_duration_seconds_count\{[^}]*priority="critical"[^}]*\} [1-9]/);
}, 60_000);

test('a client can lower its priority', async () => {
  await start({ bands: { sheddable: { ttl: '500ms', maxRequests: 1 } } });
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 24,
    forMs: 3000,
    body: longPrompt,
    headers: () => ({ [OBJECTIVE]: 'batch' }),
  });
  expect(share(answers, 429)).toBeGreaterThan(0.3);
}, 60_000);

test('a flood of tenant names takes no more than a bounded number of turns from a tenant that waits', async () => {
  await start({ maxTenants: 4, bands: { standard: { ttl: '2s', maxRequests: 200 } } });
  // It waits from the beginning, and sends a little more than it can be given, so that something of it always waits.
  const isSteady = (index: number) => index < 10 || index % 15 === 0;
  const answers = await openLoad({
    url: gateway.url,
    perSecond: 60,
    forMs: 6000,
    body: longPrompt,
    headers: (index) => ({ [TENANT]: isSteady(index) ? 'steady' : `forged-${index}` }),
  });
  const later = answers.filter(({ index }) => index >= 60);
  const steady = later.filter(({ index }) => isSteady(index));
  const forged = later.filter(({ index }) => !isSteady(index));
  // In one queue for all, both would be served alike: a fifth, which is what the pod can do of this load.
  expect(share(steady, 200)).toBeGreaterThan(2 * share(forged, 200));
  const page = await gateway.metrics();
  expect(page).not.toContain('forged');
}, 60_000);

test('a request whose client leaves while it is held leaves its queue, and reaches no pod', async () => {
  await start({}, {}, true);
  const leaving = new AbortController();
  const held = send(gateway.url, '/v1/chat/completions', { body: chatBody('llama'), signal: leaving.signal });
  const size = async () => {
    const page = await gateway.metrics();
    const sizes = page.matchAll(/flow_control_queue_size\{[^}]*priority="standard"[^}]*\} (\d+)/g);
    return [...sizes].reduce((sum, [, one]) => sum + Number(one), 0);
  };
  await until('it is held', async () => (await size()) === 1);
  leaving.abort();
  await expect(held).rejects.toThrow();
  await until('it is gone', async () => (await size()) === 0);
  await gateway.startAbsent('llama-0');
  await gateway.writeReady({ 'llama-0': true });
  await until('the pod serves', async () => {
    const { status } = await send(gateway.url, '/v1/chat/completions', { body: chatBody('llama') });
    return status === 200;
  });
  expect(await gateway.pod('llama-0').total()).toBe(1);
});

test('a request for an empty pool waits for the first pod, as from zero', async () => {
  await start({}, { overload: { emptyPoolHold: '30s' } }, true);
  const held = send(gateway.url, '/v1/chat/completions', { body: chatBody('llama') });
  await gateway.startAbsent('llama-0');
  await gateway.writeReady({ 'llama-0': true });
  expect((await held).status).toBe(200);
});

test('a pool that stays empty is a 503 of the router once the hold is over', async () => {
  await start({}, { overload: { emptyPoolHold: '1s' } }, true);
  const answer = await send(gateway.url, '/v1/chat/completions', { body: chatBody('llama') });
  expect([answer.status, answer.json().error.code]).toEqual([503, 'no_endpoints']);
});
