import { BANDS } from '../../lib/translate/gateway-state';
import { requestIdentity } from '../../runtime/body-router/identity';
import { createFlowQueue } from '../../runtime/endpoint-picker/admission/flow-queue';
import { newCounters } from '../../runtime/ext-proc/counters';
import { createRouterMetrics } from '../../runtime/telemetry/router-metrics';
import { engineMetrics, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { FLOW_CONTROL, refusal, routed, soFar, wholeRouter } from './support/whole-router';

const INT32_MAX = 2_147_483_647;

function metricsOf(router: ReturnType<typeof wholeRouter>) {
  return createRouterMetrics({
    state: router.state,
    pools: () => router.rig.picker.status(),
    waiting: () => router.admission.waiting(),
    counters: newCounters,
    bufferedBytes: () => 0,
  });
}

describe('what clients send', () => {
  test('makes no series of metrics: neither models, nor tenants, nor objectives, nor paths', async () => {
    const router = wholeRouter({ flowControl: FLOW_CONTROL }, { defaultBackend: { name: 'elsewhere', port: 80 } });
    router.rig.metrics.tellAll(engineMetrics());
    const metrics = metricsOf(router);
    const before = (await metrics.page()).text.split('\n').length;
    for (let i = 0; i < 200; i++) {
      const headers = {
        'x-gateway-inference-fairness-id': `tenant-${i}`,
        'x-gateway-inference-objective': `objective-${i}`,
        ':path': `/v1/path-${i}`,
      };
      await router.send(headers, `{"model":"model-${i}"}`).answer;
      await router.send(headers).answer;
    }
    for (const line of router.told) if (line.startsWith('routed ')) expect(line).toBe('routed llama');
    const page = (await metrics.page()).text;
    expect(page).not.toMatch(/tenant-|objective-|path-|model-\d/);
    expect(page.split('\n').length).toBe(before);
  });

  test('a pool that takes every model counts each that nobody listed as `other`', async () => {
    const { modelName: _, ...anyModel } = schedulerState();
    const router = wholeRouter({}, { schedulers: [anyModel] });
    router.rig.metrics.tellAll(engineMetrics());
    for (let i = 0; i < 20; i++) await router.send({}, `{"model":"model-${i}"}`).answer;
    expect(new Set(router.told)).toEqual(new Set(['routed other']));
  });

  test('an adapter is counted under its own name, and not under its base model', async () => {
    const router = wholeRouter({ adapters: ['sql'] });
    router.rig.metrics.tellAll(engineMetrics());
    await router.send({}, '{"model":"sql"}').answer;
    expect(router.told).toEqual(['routed sql']);
  });

  test.each(['1e400', '99999999999999999999', String(Number.MAX_SAFE_INTEGER + 1)])(
    'a content-length of %s is a body too large, not a number that has overflowed',
    async (length) => {
      const router = wholeRouter();
      router.rig.metrics.tellAll(engineMetrics());
      expect(refusal(await router.send({ 'content-length': length }).answer).status).toBe(413);
    },
  );

  test.each(['-1', 'NaN', '', 'x'])('a content-length of %j harms nobody', async (length) => {
    const router = wholeRouter();
    router.rig.metrics.tellAll(engineMetrics());
    expect(routed(await router.send({ 'content-length': length }).answer).kind).toBe('continue');
  });

  test.each(['1e999', '-5', '9007199254740993', '1.5', '"8"', 'null', '99999999999999999999999'])(
    'max_tokens of %s is no bound, and what a request may cost stays finite',
    async (max) => {
      const router = wholeRouter({ flowControl: FLOW_CONTROL });
      router.rig.metrics.tellAll(engineMetrics());
      const { answer } = router.send({}, `{"model":"llama","prompt":"a","max_tokens":${max}}`);
      expect(routed((await soFar(answer))!).kind).toBe('continue');
      expect(router.picks[0]!.maxOutputTokens).toBeUndefined();
    },
  );

  test('latency objectives in headers of any size order nothing, and go no further', async () => {
    const router = wholeRouter();
    router.rig.metrics.tellAll(engineMetrics());
    const headers = { 'x-slo-ttft-ms': '9'.repeat(400), 'x-gateway-slo-tpot-ms': '-1e308' };
    const answer = routed(await router.send(headers).answer);
    expect(answer.removeHeaders).toEqual(expect.arrayContaining(Object.keys(headers)));
  });
});

describe('priority', () => {
  const objectives = [
    { name: 'huge', priority: 2 ** 60 },
    { name: 'tiny', priority: -(2 ** 60) },
    { name: 'high', priority: 10 },
  ];

  test('stays within what its type holds, whatever an objective says', () => {
    const of = (name: string) =>
      requestIdentity(new Map([['x-gateway-inference-objective', name]]), { claims: true }, { objectives }).priority;
    expect([of('huge'), of('tiny'), of('nobody')]).toEqual([INT32_MAX, -INT32_MAX - 1, 0]);
  });

  test('is not raised by a client that nobody trusts', () => {
    const headers = new Map([['x-gateway-inference-objective', 'high']]);
    expect(requestIdentity(headers, {}, { objectives }).priority).toBe(0);
  });
});

test('a client that names ever new tenants gets no more queues than the bound, and no more turns than one tenant', () => {
  const queue = createFlowQueue({ ...FLOW_CONTROL, maxTenants: 4 });
  const item = (tenant: string) => ({ band: 'standard' as const, tenant, tokens: 100, bytes: 1, expiresAt: 1e9 });
  for (const tenant of ['a', 'b', 'c']) for (let i = 0; i < 50; i++) queue.enqueue(item(tenant));
  for (let i = 0; i < 500; i++) queue.enqueue(item(`forged-${i}`));
  const left: string[] = [];
  queue.dispatch(0, ({ tenant }) => {
    if (left.length === 100) return 'no-room';
    left.push(tenant.startsWith('forged') ? 'forged' : tenant);
    return 'taken';
  });
  const forged = left.filter((tenant) => tenant === 'forged').length;
  expect(forged).toBeLessThanOrEqual(45);
  expect(left.filter((tenant) => tenant === 'a').length).toBeGreaterThanOrEqual(18);
});

test('the lowest band is served while higher ones never cease', () => {
  const queue = createFlowQueue(FLOW_CONTROL);
  const item = (band: (typeof BANDS)[number]) => ({ band, tenant: '', tokens: 100, bytes: 1, expiresAt: 1e9 });
  queue.enqueue(item('sheddable'));
  let rounds = 0;
  for (let gone = false; !gone; rounds++) {
    queue.enqueue(item('critical'));
    queue.enqueue(item('standard'));
    let one = false;
    queue.dispatch(0, (head) => {
      if (one) return 'no-room';
      one = true;
      gone ||= head.band === 'sheddable';
      return 'taken';
    });
    if (rounds > 1_000) throw new Error('it starves');
  }
  expect(rounds).toBeLessThan(1_000);
});

test('requests that were refused, held, cut off or answered leave the picker with nothing', async () => {
  const router = wholeRouter({ flowControl: FLOW_CONTROL, overload: { ...schedulerState().overload } });
  router.rig.metrics.tellAll('no-metrics');
  const sent = Array.from({ length: 600 }, (_, i) =>
    router.send({}, JSON.stringify({ model: i % 7 === 0 ? 'nobody' : 'llama', prompt: 'x'.repeat(2_000) })),
  );
  await soFar(sent[0]!.answer);
  for (const [i, one] of sent.entries()) if (i % 3 === 0) one.abort();
  router.pass(20_000);
  for (const [i, one] of sent.entries()) {
    if (i % 3 === 0) continue;
    const answer = await one.answer;
    if (answer.kind === 'immediate') one.abort();
    else await one.respond(200);
  }
  expect(router.rig.picker.status()[0]!.pods.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0, 0]);
  const { bands } = router.admission.waiting()[0]!;
  expect(BANDS.map((band) => bands[band])).toEqual(Array(3).fill({ requests: 0, bytes: 0 }));
});
