import { credentials } from '@grpc/grpc-js';
import type { GatewayState } from '../../../lib/translate/gateway-state';
import type { EndpointPicker, PickRequest, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { BodyBudget } from '../../../runtime/ext-proc/body-budget';
import { gatewayState, schedulerState } from '../endpoint-picker/support/fixtures';
import { connectProxy, headerList, type Message, requestMessages, routed, type SentRequest } from './grpc-proxy';
import { fixedPicker, type RigOptions, responseMessages, startRig } from './rig';
import { selfSigned } from './self-signed';

const PODS = ['10.0.0.1:8000', '10.0.0.2:8000'];
const BODY = '{"model":"llama","prompt":"x"}';
const STATE = gatewayState(schedulerState());

const start = (options: Partial<RigOptions> = {}) => startRig({ picker: fixedPicker(PODS), state: STATE, ...options });

/** Notes what it is asked, and gives one answer. */
function notingPicker(answer: PickResult = { outcome: 'no-endpoints', retryAfterSeconds: 1 }) {
  const asked: PickRequest[] = [];
  const picker: EndpointPicker = {
    pick(request) {
      asked.push(request);
      return answer;
    },
  };
  return { asked, picker };
}

async function refusalOf(request: SentRequest, options: Partial<RigOptions>) {
  await using rig = await start(options);
  const [{ immediateResponse }] = await rig.ask(request);
  const headers: Record<string, string> = {};
  for (const { header } of immediateResponse.headers.setHeaders) headers[header.key] = header.rawValue.toString();
  const { code } = JSON.parse(immediateResponse.body.toString()).error;
  return { status: immediateResponse.status.code, code, retryAfter: headers['retry-after'] };
}

describe('a request', () => {
  test('goes to the endpoint with its fallbacks in order, by header and by the same metadata', async () => {
    await using rig = await start();

    const answer = routed(await rig.ask({ body: [BODY] }));

    expect(answer).toMatchObject({ destination: PODS.join(','), metadata: PODS.join(','), clearsRoute: true });
  });

  test('of 220 KiB goes on in pieces of at most 62,000 bytes, the last of which alone ends it', async () => {
    const prompt = 'x'.repeat(220 * 1024);
    const body = JSON.stringify({ model: 'llama', prompt });
    const chunks = Array.from({ length: Math.ceil(body.length / 16_384) }, (_, i) =>
      body.slice(i * 16_384, (i + 1) * 16_384),
    );
    await using rig = await start();

    const answer = routed(await rig.ask({ body: chunks }));

    expect(answer.body).toBe(body);
    expect(Math.max(...answer.pieces)).toBe(62_000);
    expect(answer.ends).toEqual([false, false, false, true]);
    expect(answer.headers['content-length']).toBe(String(body.length));
  });

  test('that ends with trailers is answered in the order headers, body, trailers, and its body says no end', async () => {
    await using rig = await start();

    const answer = routed(await rig.ask({ body: [BODY], trailers: true }));

    expect(answer).toMatchObject({ body: BODY, ends: [false], trailers: true });
    expect(answer.headers).not.toHaveProperty('content-length');
  });

  test('of nothing but an empty last chunk goes on as one empty piece', async () => {
    await using rig = await start();

    expect(routed(await rig.ask({ body: [''] }))).toMatchObject({
      pieces: [0],
      ends: [true],
      destination: PODS.join(','),
    });
  });

  test('loses the control headers of its client, and keeps those that chose its route', async () => {
    await using rig = await start();
    const headers = {
      'x-gateway-destination-endpoint-subset': '6.6.6.6',
      'x-prefiller-url': 'http://6.6.6.6',
      'x-llm-d-inference-objective': 'high',
      'x-gateway-model-name': 'llama',
      'x-gateway-base-model-name': 'llama',
    };

    const { removed, headers: set } = routed(await rig.ask({ headers, body: [BODY] }));

    expect([...removed].sort()).toEqual([
      'x-gateway-destination-endpoint-subset',
      'x-llm-d-inference-objective',
      'x-prefiller-url',
    ]);
    expect(Object.keys(set)).toEqual(['x-gateway-destination-endpoint', 'content-length']);
  });

  test.each<[string, SentRequest]>([
    ['multipart', { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: ['--b\r\nbroken'] }],
    ['text that is no JSON', { headers: { 'content-type': 'text/plain' }, body: ['hello'] }],
    ['a GET with a body', { headers: { ':method': 'GET', 'content-type': 'application/json' }, body: ['{'] }],
    [
      'a form that is none of JSON',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: ['a=b'] },
    ],
  ])('whose body cannot name a model is routed without: %s', async (_, request) => {
    await using rig = await start();

    expect(routed(await rig.ask(request))).toMatchObject({
      destination: PODS.join(','),
      body: request.body!.join(''),
    });
  });

  test('is believed whatever its body where the gateway routes by no model', async () => {
    await using rig = await start({ state: { ...STATE, bodyRouting: false } });

    expect(routed(await rig.ask({ headers: { 'content-type': 'application/json' }, body: ['{'] })).body).toBe('{');
  });

  test('without a model in its body has the one that a router before has named', async () => {
    const { asked, picker } = notingPicker();
    await using rig = await start({ picker });

    await rig.ask({ headers: { 'x-gateway-model-name': 'my-adapter' }, body: ['{"prompt":"x"}'] });

    expect(asked[0]).toMatchObject({ model: 'my-adapter', adapter: 'my-adapter' });
  });

  test('is told to the picker with its prompt, its objective, its tenant and its subset', async () => {
    const { asked, picker } = notingPicker();
    const scheduler = schedulerState({ objectives: [{ name: 'batch', priority: -5 }] });
    await using rig = await start({ picker, state: gatewayState(scheduler) });
    const body = JSON.stringify({ model: 'llama', prompt: 'y'.repeat(512), max_tokens: 9 });

    await rig.ask({
      headers: { 'x-gateway-inference-objective': 'batch', 'x-gateway-inference-fairness-id': 'team' },
      body: [body],
      subset: '10.0.0.1:8000, 10.0.0.2,',
    });

    expect(asked[0]).toMatchObject({
      scheduler: 'models/llama',
      model: 'llama',
      maxOutputTokens: 9,
      bodyBytes: body.length,
      priority: -5,
      tenant: 'team',
      subset: ['10.0.0.1:8000', '10.0.0.2'],
    });
    expect(asked[0]!.prefixHashes).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test.each<[PickResult, object]>([
    [
      { outcome: 'saturated', retryAfterSeconds: 7 },
      { status: 429, code: 'pool_saturated', retryAfter: '7' },
    ],
    [
      { outcome: 'queue-full', retryAfterSeconds: 2 },
      { status: 429, code: 'queue_full', retryAfter: '2' },
    ],
    [
      { outcome: 'expired', retryAfterSeconds: 3 },
      { status: 429, code: 'queue_timeout', retryAfter: '3' },
    ],
    [
      { outcome: 'no-endpoints', retryAfterSeconds: 5 },
      { status: 503, code: 'no_endpoints', retryAfter: '5' },
    ],
    [
      { outcome: 'shutting-down', retryAfterSeconds: 1 },
      { status: 503, code: 'shutting_down', retryAfter: '1' },
    ],
  ])('is 429 where capacity is contended and 503 where there is none: %j', async (result, expected) => {
    expect(await refusalOf({ body: [BODY] }, { picker: notingPicker(result).picker })).toEqual(expected);
  });

  test('is 503 where the subset is there and empty, as list and as text', async () => {
    for (const subset of [[], '']) expect(await refusalOf({ body: [BODY], subset }, {})).toMatchObject({ status: 503 });
  });

  test('is 503 where the picker fails, which is told', async () => {
    const picker: EndpointPicker = {
      pick() {
        throw new Error('broken');
      },
    };
    expect(await refusalOf({ body: [BODY] }, { picker })).toMatchObject({ status: 503, code: 'picker_failed' });
  });

  test.each<[string, SentRequest]>([
    ['by its announced length', { headers: { 'content-length': '51' }, body: ['x'] }],
    ['by the bytes that came', { body: ['x'.repeat(30), 'x'.repeat(21), 'x'] }],
  ])('is 413 for a body above the limit, %s', async (_, request) => {
    const state: GatewayState = { ...STATE, maxRequestBodyBytes: 50 };
    expect(await refusalOf(request, { state })).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  test('is 503 for a body for which the memory is not there, and the memory is given back', async () => {
    const budget = new BodyBudget(100_000);
    await using rig = await start({ budget });
    const body = ['{"model":"llama","prompt":"', ...Array.from({ length: 10 }, () => 'x'.repeat(15_000)), '"}'];

    const [answer] = await rig.ask({ body });
    expect(JSON.parse(answer.immediateResponse.body.toString()).error.code).toBe('router_overloaded');
    expect(rig.heard).toEqual(['refused router_overloaded']);
    expect(budget.usedBytes).toBe(0);

    const smaller = [body[0]!, ...body.slice(7)];
    expect(routed(await rig.ask({ body: smaller })).destination).toBe(PODS.join(','));
    expect(budget.usedBytes).toBe(0);
  });
});

describe('a picker that does not answer', () => {
  const noAnswer = notingPicker({ outcome: 'no-answer' }).picker;

  test('leaves a ready endpoint of the subset, by chance', async () => {
    await using rig = await start({ picker: noAnswer });

    expect(routed(await rig.ask({ body: [BODY], subset: ['10.0.0.3'] })).destination).toBe('10.0.0.3:8000');
  });

  test('and no endpoint that is ready make 503', async () => {
    expect(await refusalOf({ body: [BODY], subset: ['10.9.9.9'] }, { picker: noAnswer })).toMatchObject({
      status: 503,
    });
  });
});

describe('the ticket', () => {
  test('hears of the endpoint that has served, and of the end with the status, once', async () => {
    const picker = fixedPicker(PODS);
    await using rig = await start({ picker });
    const { stream } = await rig.request({ body: [BODY] });
    const [head] = responseMessages({}, []);
    stream.send({ ...head, metadataContext: servedBy('10.0.0.2:8000') });
    await stream.next();
    expect(picker.heard).toEqual(['served 10.0.0.2:8000']);

    stream.end();
    await stream.status;
    expect(picker.heard).toEqual(['served 10.0.0.2:8000', 'done 200']);
  });

  test('hears of a response from a proxy that does not name the endpoint', async () => {
    const picker = fixedPicker(PODS);
    await using rig = await start({ picker });
    const { stream } = await rig.request({ body: [BODY] });
    stream.send(responseMessages({ ':status': '503' }, [])[0]!);
    await stream.next();
    stream.end();
    await stream.status;
    expect(picker.heard).toEqual(['served undefined', 'done 503']);
  });

  test('is released once when the proxy goes away, before the response and in it', async () => {
    for (const sent of [
      [],
      responseMessages({ 'content-type': 'text/event-stream' }, ['data: 1\n\n', 'x']).slice(0, 2),
    ]) {
      const picker = fixedPicker(PODS);
      await using rig = await start({ picker });
      const { stream } = await rig.request({ body: [BODY] });
      for (const message of sent) stream.send(message);
      for (const _ of sent) await stream.next();
      stream.cancel();
      await rig.close();
      expect(picker.heard).toEqual(sent.length === 0 ? ['done undefined'] : ['served undefined', 'done 200']);
    }
  });

  test('of a pick that is pending is never made when the proxy goes away: the pick is cancelled', async () => {
    let cancelled = 0;
    let asked = () => {};
    const whenAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let settle: (result: PickResult) => void = () => {};
    const result = new Promise<PickResult>((resolve) => {
      settle = resolve;
    });
    const fixed = fixedPicker(PODS);
    const picker: EndpointPicker = {
      pick() {
        asked();
        return { result, cancel: () => cancelled++ };
      },
    };
    await using rig = await start({ picker });
    const stream = rig.proxy.open();
    for (const message of requestMessages({ body: [BODY] })) stream.send(message);
    await whenAsked;
    stream.cancel();
    await rig.close();
    expect(cancelled).toBe(1);

    // The pick was made at the same moment: its ticket is given back.
    settle(fixed.pick({} as PickRequest) as PickResult);
    await result;
    expect(fixed.heard).toEqual(['done undefined']);
  });
});

test('a response whose trailers come is answered to the end, and what a rewrite held back goes before them', async () => {
  const rewrites = [
    { name: 'models/r', scheduler: 'models/llama', models: ['alias'], targets: [{ model: 'llama', weight: 1 }] },
  ];
  await using rig = await start({ state: { ...STATE, rewrites } });
  const { stream } = await rig.request({ body: ['{"model":"alias"}'] });
  const [head, chunk] = responseMessages({ 'content-type': 'text/event-stream' }, ['data: {"model":"llama"}', '']);
  stream.send(head);
  stream.send(chunk);
  stream.send({ responseTrailers: { trailers: { headers: headerList({ 'x-t': '1' }) } } });
  stream.end();

  const [, piece, trailers] = await stream.rest();
  expect(piece.responseBody.response.bodyMutation.streamedResponse).toMatchObject({ endOfStream: false });
  expect(piece.responseBody.response.bodyMutation.streamedResponse.body.toString()).toBe('data: {"model":"alias"}');
  expect(trailers.response).toBe('responseTrailers');
});

describe('a proxy that buffers', () => {
  const modes = { request: 'BUFFERED', response: 'BUFFERED' } as const;
  const ask = async (body: string, options: Partial<RigOptions> = {}) => {
    await using rig = await start({ bodyModes: modes, ...options });
    const stream = rig.proxy.open();
    const [headers, whole] = requestMessages({ headers: { 'content-length': String(body.length) }, body: [body] });
    stream.send(headers);
    const first: Message = await stream.next();
    stream.send(whole);
    const second: Message = await stream.next();
    stream.end();
    return { first, second };
  };

  test('gets the headers back at once, and the endpoint with the body', async () => {
    const { first, second } = await ask(BODY);

    expect(first).toMatchObject({ response: 'requestHeaders', requestHeaders: { response: { headerMutation: null } } });
    const { headerMutation, bodyMutation } = second.requestBody.response;
    expect(headerMutation.setHeaders[0].header.rawValue.toString()).toBe(PODS.join(','));
    expect(bodyMutation).toBeNull();
  });

  test('gets a body that a rewrite changed in one, with its length', async () => {
    const rewrites = [
      { name: 'models/r', scheduler: 'models/llama', models: ['llama'], targets: [{ model: 'other', weight: 1 }] },
    ];
    const { second } = await ask(BODY, { state: { ...STATE, rewrites } });

    const { headerMutation, bodyMutation } = second.requestBody.response;
    expect(bodyMutation.body.toString()).toBe('{"model":"other","prompt":"x"}');
    expect(headerMutation.setHeaders.at(-1).header).toMatchObject({ key: 'content-length' });
    expect(headerMutation.setHeaders.at(-1).header.rawValue.toString()).toBe('30');
  });

  test('says so itself, and is believed before the option', async () => {
    await using rig = await start();
    const stream = rig.proxy.open();
    const [headers] = requestMessages({ body: [BODY] });
    stream.send({ ...headers, protocolConfig: { requestBodyMode: 'BUFFERED', responseBodyMode: 'NONE' } });

    expect((await stream.next()).response).toBe('requestHeaders');
    stream.end();
  });

  test('is told that a response is not needed where nobody counts tokens, and to stream one that is', async () => {
    const override = async (options: Partial<RigOptions>) => {
      await using rig = await start({ bodyModes: modes, ...options });
      const stream = rig.proxy.open();
      for (const message of requestMessages({ body: [BODY] })) {
        stream.send(message);
        await stream.next();
      }
      stream.send(responseMessages({ 'content-type': 'application/json' }, [])[0]);
      const { modeOverride } = (await stream.next()) as Message;
      stream.end();
      return modeOverride.responseBodyMode;
    };
    const ignore = () => {};

    expect(await override({ observe: { requestRouted: ignore, requestRefused: ignore } })).toBe('NONE');
    expect(await override({})).toBe('STREAMED');
  });
});

describe('health', () => {
  test('of any service is SERVING only once the pool is known', async () => {
    let state: GatewayState | undefined;
    await using rig = await start({ state: () => state });
    const services = ['', 'inference-extension', 'envoy.service.ext_proc.v3.ExternalProcessor'];
    const all = () => Promise.all(services.map((service) => rig.proxy.health(service)));

    expect(await all()).toEqual(services.map(() => 'NOT_SERVING'));
    state = gatewayState(schedulerState({ name: 'another' }));
    expect(await all()).toEqual(services.map(() => 'NOT_SERVING'));
    state = STATE;
    expect(await all()).toEqual(services.map(() => 'SERVING'));
  });

  test('does not keep a request from 503 while nothing is known', async () => {
    expect(await refusalOf({ body: [BODY] }, { state: () => undefined })).toMatchObject({ status: 503 });
  });
});

test('over TLS the picker answers a client that trusts its certificate', async () => {
  const { cert, key } = selfSigned();
  await using rig = await start({ tls: { cert, key } });
  const proxy = connectProxy({ ...rig.address, host: 'localhost' }, credentials.createSsl(Buffer.from(cert)));

  expect(await proxy.health('inference-extension')).toBe('SERVING');
  const stream = proxy.open();
  for (const message of requestMessages({ body: [BODY] })) stream.send(message);
  stream.end();
  expect(routed(await stream.rest()).destination).toBe(PODS.join(','));
  proxy.close();
});

test('a header of a client chooses no endpoint', async () => {
  const { asked, picker } = notingPicker();
  await using rig = await start({ picker });

  await rig.ask({ headers: { 'test-epp-endpoint-selection': '10.0.0.9' } });

  expect(asked[0]).not.toHaveProperty('subset');
});

function servedBy(address: string): Message {
  const key = 'x-gateway-destination-endpoint-served';
  return { filterMetadata: { 'envoy.lb': { fields: { [key]: { stringValue: address } } } } };
}
