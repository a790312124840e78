import type { GatewayState } from '../../../lib/translate/gateway-state';
import { createBodyRouter } from '../../../runtime/body-router/body-router';
import { CONTROL_HEADERS } from '../../../runtime/body-router/control-headers';
import type { RoutedRequest } from '../../../runtime/body-router/observer';
import type { PendingPick, PickRequest, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { decisionLine } from '../../../runtime/explain/decision-line';
import {
  type Answer,
  type Body,
  CONTINUE,
  type ContinueAnswer,
  type ImmediateAnswer,
} from '../../../runtime/ext-proc/processor';
import { explanation } from '../explain/fixtures';
import { bodyFrom, gateway, scheduler, textOf } from './fixtures';

interface World {
  state?: Partial<GatewayState>;
  pick?: (request: PickRequest) => PickResult | PendingPick;
  random?: () => number;
  /** Milliseconds that pass between two looks at the clock; default 1. */
  tick?: number;
}

function world({ state = {}, pick, random = () => 0, tick = 1 }: World = {}) {
  const events: Array<[string, ...unknown[]]> = [];
  const picks: PickRequest[] = [];
  const tell =
    (name: string) =>
    (...args: unknown[]) => {
      events.push([name, ...args]);
    };
  const ticket = { served: tell('served'), firstToken: tell('first token'), done: tell('done') };
  const picked: PickResult = { outcome: 'picked', endpoints: ['10.0.0.1:8000', '10.0.0.2:8000'], ticket };
  let current = gateway(state);
  let time = 0;
  const clock = () => {
    time += tick;
    return time;
  };
  const router = createBodyRouter({
    picker: {
      pick(request) {
        picks.push(request);
        return pick ? pick(request) : picked;
      },
    },
    state: () => current,
    random,
    clock,
    yieldTurn: () => new Promise(setImmediate),
    observe: {
      requestRouted: tell('routed') as (request: RoutedRequest) => void,
      requestRefused: tell('refused'),
      requestDefaulted: tell('defaulted'),
      requestAnswered: tell('answered'),
    },
    onPickerError: tell('picker error'),
    created: 1,
  });
  const open = router.open();
  return {
    router,
    stream: open,
    events,
    picks,
    picked,
    ticket,
    swap: (next: GatewayState) => {
      current = next;
    },
    /** One request through a fresh stream: the answer that decides. */
    async send(headers: Record<string, string>, body?: string | Body): Promise<Answer> {
      const map = new Map(
        Object.entries({ ':method': body === undefined ? 'GET' : 'POST', ':path': '/v1/x', ...headers }),
      );
      const first = await open.requestHeaders(map, body === undefined);
      if (body === undefined || first.kind === 'immediate') return first;
      expect(first).toEqual(CONTINUE);
      return open.requestBody(typeof body === 'string' ? bodyFrom(body) : body);
    },
  };
}

function immediate(answer: Answer): ImmediateAnswer & { code: string } {
  if (answer.kind !== 'immediate') throw new Error('the request was let through');
  return { ...answer, code: JSON.parse(answer.body).error?.code };
}

function routed(answer: Answer): ContinueAnswer & { set: Record<string, string> } {
  if (answer.kind !== 'continue') throw new Error(answer.body);
  return { ...answer, set: Object.fromEntries(answer.setHeaders ?? []) };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ONLY = { schedulers: [scheduler('a')] };

describe('routing', () => {
  test('sets model, base model and destination, and leaves the body alone', async () => {
    const { send, picks } = world({ state: { schedulers: [scheduler('a', { adapters: ['sql'] }), scheduler('b')] } });
    const answer = routed(await send(JSON_TYPE, '{"model":"sql","max_tokens":9,"prompt":"hi"}'));
    expect(answer).toMatchObject({
      set: {
        'x-gateway-model-name': 'sql',
        'x-gateway-base-model-name': 'a-model',
        'x-gateway-destination-endpoint': '10.0.0.1:8000,10.0.0.2:8000',
      },
      lbMetadata: { 'x-gateway-destination-endpoint': '10.0.0.1:8000,10.0.0.2:8000' },
      clearRouteCache: true,
    });
    expect(answer).not.toHaveProperty('body');
    expect(picks).toEqual([
      {
        scheduler: 'ns/a',
        model: 'sql',
        adapter: 'sql',
        priority: 0,
        promptBytes: 4,
        bodyBytes: 44,
        maxOutputTokens: 9,
        prefixHashes: [],
        tokenizable: expect.any(Function),
        explain: false,
      },
    ]);
  });

  test.each([
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/vnd.api+json',
    undefined,
  ])('reads a body of type %s as JSON', async (type) => {
    const { send, picks } = world();
    await send(type === undefined ? {} : { 'content-type': type }, '{"model":"b-model"}');
    expect(picks[0]?.scheduler).toBe('ns/b');
  });

  test('the body wins over the header, which names the model of a body without one', async () => {
    const { send, picks } = world();
    const header = { ...JSON_TYPE, 'x-gateway-model-name': ' b-model ' };
    expect(routed(await send(header, '{"model":"a-model"}')).set['x-gateway-model-name']).toBe('a-model');
    expect(routed(await send(header, '{"prompt":""}')).set['x-gateway-model-name']).toBe('b-model');
    expect(routed(await send(header)).set['x-gateway-model-name']).toBe('b-model');
    expect(picks.map(({ scheduler: name }) => name)).toEqual(['ns/a', 'ns/b', 'ns/b']);
  });

  test('prefix hashes are the same for the same prompt, and differ by the model that serves and by cache salt', async () => {
    const { send, picks } = world({ state: { schedulers: [scheduler('a', { adapters: ['sql'] })] } });
    const prompt = 'word '.repeat(100);
    await send(JSON_TYPE, JSON.stringify({ model: 'sql', prompt, seed: 1 }));
    await send(JSON_TYPE, JSON.stringify({ prompt, model: 'sql' }));
    await send(JSON_TYPE, JSON.stringify({ prompt, model: 'a-model' }));
    await send(JSON_TYPE, JSON.stringify({ prompt, model: 'sql', cache_salt: 'tenant' }));
    const [one, two, other, salted] = picks.map(({ prefixHashes }) => prefixHashes[0]);
    expect(one).toBeDefined();
    expect(two).toBe(one);
    expect(new Set([one, other, salted]).size).toBe(3);
  });

  test('an adapter of one name under two base models shares no prefix', async () => {
    const rewrites = ['a', 'b'].map((name) => ({
      name: `ns/${name}`,
      scheduler: `ns/${name}`,
      models: [`${name}-alias`],
      targets: [{ model: 'sql', weight: 1 }],
    }));
    const { send, picks } = world({ state: { rewrites } });
    const prompt = 'word '.repeat(100);
    await send(JSON_TYPE, JSON.stringify({ model: 'a-alias', prompt }));
    await send(JSON_TYPE, JSON.stringify({ model: 'b-alias', prompt }));
    expect(picks.map(({ model, scheduler: name }) => [model, name])).toEqual([
      ['sql', 'ns/a'],
      ['sql', 'ns/b'],
    ]);
    expect(picks[0]?.prefixHashes[0]).not.toBe(picks[1]?.prefixHashes[0]);
  });

  test('a request that names no model goes to the only scheduler where its method or type needs none', async () => {
    const { send, picks } = world({ state: ONLY });
    expect(routed(await send({ ':path': '/metrics' })).set['x-gateway-model-name']).toBe('a-model');
    await send({ 'content-type': 'audio/wav' }, 'RIFF');
    expect(picks.map(({ model, promptBytes }) => [model, promptBytes])).toEqual([
      ['a-model', 0],
      ['a-model', 0],
    ]);
  });

  test.each([
    ['a GET with several schedulers', {}, {}, undefined, 404, 'no_route'],
    ['an opaque body with several schedulers', {}, { 'content-type': 'audio/wav' }, 'RIFF', 400, 'missing_model'],
    ['JSON without a model', ONLY, JSON_TYPE, '{}', 400, 'missing_model'],
    ['a POST without a body', ONLY, { ':method': 'POST' }, undefined, 400, 'missing_model'],
    ['an unknown model', {}, JSON_TYPE, '{"model":"nobody"}', 404, 'model_not_found'],
    ['an unknown model in the header', {}, { 'x-gateway-model-name': 'nobody' }, undefined, 404, 'model_not_found'],
    ['two models', {}, JSON_TYPE, '{"model":"a-model","model":"b-model"}', 400, 'duplicate_model'],
    ['a model that is no string', {}, JSON_TYPE, '{"model":1}', 400, 'model_not_string'],
    ['no JSON', {}, JSON_TYPE, 'model=a-model', 400, 'invalid_json'],
    ['no UTF-8', {}, JSON_TYPE, bodyFrom(Buffer.from('{"model":"\xff"}', 'latin1')), 400, 'invalid_utf8'],
    ['an empty body', {}, JSON_TYPE, '', 400, 'invalid_json'],
    ['a broken multipart', {}, { 'content-type': 'multipart/form-data' }, 'x', 400, 'invalid_multipart'],
  ])('%s is refused', async (_, state, headers, body, status, code) => {
    const { send, events, picks } = world({ state });
    expect(immediate(await send(headers as Record<string, string>, body))).toMatchObject({ status, code });
    expect(events).toEqual([['refused', code, undefined]]);
    expect(picks).toEqual([]);
  });

  test('with body routing off every request goes to the only scheduler, whatever it holds', async () => {
    const { send, picks } = world({ state: { ...ONLY, bodyRouting: false } });
    await send(JSON_TYPE, '{"model":"anything","prompt":"abc"}');
    await send(JSON_TYPE, 'no JSON');
    await send(JSON_TYPE, '{}');
    expect(picks.map(({ model, promptBytes }) => [model, promptBytes])).toEqual([
      ['anything', 5],
      ['a-model', 0],
      ['a-model', 2],
    ]);
  });

  test('a name that cannot be a header value is not written into one, nor into a metric', async () => {
    const { modelName: _, ...open } = scheduler('a');
    const { send, events } = world({ state: { schedulers: [open], bodyRouting: false } });
    const { set } = routed(await send(JSON_TYPE, JSON.stringify({ model: 'a\r\nx-evil: 1' })));
    expect(set).toEqual({ 'x-gateway-destination-endpoint': expect.anything() });
    expect(events).toEqual([['routed', expect.objectContaining({ model: 'other' })]]);
  });

  test('unknown models go to the default backend, without a pick', async () => {
    const { send, picks, events } = world({ state: { defaultBackend: { name: 'fallback', port: 80 } } });
    const answer = routed(await send({ ...JSON_TYPE, 'x-gateway-model-name': 'a-model' }, '{"model":"nobody"}'));
    expect(answer.set).toEqual({ 'x-gateway-default-backend': 'true' });
    expect(answer.removeHeaders).toEqual(['x-gateway-model-name']);
    expect(answer.clearRouteCache).toBe(true);
    expect([picks, events]).toEqual([[], [['defaulted']]]);
  });

  test('a new state is obeyed by the next request', async () => {
    const { send, swap } = world();
    expect(immediate(await send(JSON_TYPE, '{"model":"c-model"}')).status).toBe(404);
    swap(gateway({ schedulers: [scheduler('c')] }));
    expect(routed(await send(JSON_TYPE, '{"model":"c-model"}')).set['x-gateway-model-name']).toBe('c-model');
  });
});

describe('sizes', () => {
  test('a body that is declared or found too large is a 413', async () => {
    const { send } = world({ state: { maxRequestBodyBytes: 10 } });
    expect(immediate(await send({ ...JSON_TYPE, 'content-length': '11' }, 'x'))).toMatchObject({ status: 413 });
    expect(immediate(await send(JSON_TYPE, '{"model":"a-model"}'))).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });

  test('a large body is read in slices and routed as a small one', async () => {
    const { send, picks } = world({ state: { maxRequestBodyBytes: 10_000_000 } });
    const chunk = 'x'.repeat(400_000);
    const answer = send(JSON_TYPE, bodyFrom(`{"prompt":"${chunk}${chunk}","model":"b-model"}`, [300_000]));
    expect(picks).toEqual([]);
    expect(routed(await answer).set['x-gateway-model-name']).toBe('b-model');
    expect(picks[0]).toMatchObject({ promptBytes: 800_002 });
  });

  test('a client that leaves while its body is read is not picked for', async () => {
    const { stream, picks } = world();
    await stream.requestHeaders(new Map(Object.entries({ ':method': 'POST', ...JSON_TYPE })), false);
    const answer = stream.requestBody(bodyFrom(`{"model":"b-model","prompt":"${'x'.repeat(600_000)}"}`));
    stream.closed();
    expect(await answer).toEqual(CONTINUE);
    expect(picks).toEqual([]);
  });

  test('the answer to a full buffer is a 503 of the catalogue', () => {
    const { router, events } = world();
    expect(immediate(router.overloaded())).toMatchObject({ status: 503, code: 'router_overloaded' });
    expect(events).toEqual([['refused', 'router_overloaded']]);
  });
});

describe('control headers', () => {
  test('none that a client sent goes further, whatever the request', async () => {
    const forged = Object.fromEntries(CONTROL_HEADERS.map((name) => [name, 'a-model']));
    const requests: Array<[Record<string, string>, string?]> = [
      [{ ...forged, ...JSON_TYPE }, '{"model":"b-model"}'],
      [{ ...forged, 'content-type': 'audio/wav' }, 'RIFF'],
      [forged],
    ];
    for (const [headers, body] of requests) {
      const answer = routed(await world().send(headers, body));
      const model = body?.startsWith('{') ? 'b-model' : 'a-model';
      expect(answer.set).toEqual({
        'x-gateway-destination-endpoint': '10.0.0.1:8000,10.0.0.2:8000',
        'x-gateway-model-name': model,
        'x-gateway-base-model-name': model,
      });
      expect(new Set([...Object.keys(answer.set), ...answer.removeHeaders!])).toEqual(new Set(CONTROL_HEADERS));
    }
  });

  test.each(['x-gateway-model-name-rewrite', 'x-llm-d-model-name-rewrite', 'x-gateway-destination-endpoint-subset'])(
    'a client cannot steer by %s',
    async (name) => {
      const { send, picks } = world();
      const answer = routed(await send({ ...JSON_TYPE, [name]: 'b-model' }, '{"model":"a-model"}'));
      expect(picks[0]).toMatchObject({ model: 'a-model', scheduler: 'ns/a' });
      expect(answer.removeHeaders).toEqual([name]);
    },
  );

  test('other headers are not touched', async () => {
    const answer = routed(
      await world().send({ ...JSON_TYPE, 'x-other': '1', 'accept-encoding': 'gzip' }, '{"model":"a-model"}'),
    );
    expect(answer.removeHeaders).toEqual([]);
  });
});

describe('refusals of the picker', () => {
  test.each([
    ['saturated', 429, 'pool_saturated'],
    ['no-endpoints', 503, 'no_endpoints'],
  ] as const)('%s', async (outcome, status, code) => {
    const { send, events } = world({ pick: () => ({ outcome, retryAfterSeconds: 4 }) });
    const answer = immediate(await send(JSON_TYPE, '{"model":"a-model"}'));
    expect(answer).toMatchObject({ status, code });
    expect(answer.headers).toContainEqual(['retry-after', '4']);
    expect(events).toEqual([['refused', code, 'ns/a']]);
  });

  test.each([
    () => {
      throw new Error('broken');
    },
    () => ({ result: Promise.reject(new Error('away')), cancel() {} }),
  ])('a picker that fails is a 503, and its error is told', async (pick) => {
    const { send, events } = world({ pick });
    expect(immediate(await send(JSON_TYPE, '{"model":"a-model"}')).code).toBe('picker_failed');
    expect(events).toEqual([
      ['picker error', expect.any(Error)],
      ['refused', 'picker_failed', 'ns/a'],
    ]);
  });
});

describe('the ticket', () => {
  const responseHeaders = new Map([[':status', '200']]);

  test('hears which pod served, and once that the request is over', async () => {
    const { send, stream, events } = world();
    await send(JSON_TYPE, '{"model":"a-model"}');
    const answer = await stream.responseHeaders(responseHeaders, new Map([['upstream.address', '10.0.0.9:8000']]));
    expect(answer).toEqual({
      kind: 'continue',
      setHeaders: [['x-gateway-destination-endpoint-served', '10.0.0.9:8000']],
    });
    stream.closed();
    expect(events.slice(1)).toEqual([
      ['served', '10.0.0.9:8000', 1, 200],
      ['done', 200],
    ]);
  });

  test('a reply of Envoy itself has no pod that served', async () => {
    const { send, stream, events } = world();
    await send(JSON_TYPE, '{"model":"a-model"}');
    const attributes = new Map([['response.code_details', 'no_healthy_upstream']]);
    expect(await stream.responseHeaders(new Map([[':status', '503']]), attributes)).toEqual(CONTINUE);
    stream.closed();
    expect(events.slice(1)).toEqual([
      ['served', undefined],
      ['done', 503],
    ]);
  });

  test('nor has one after a pod was tried in vain, whose address Envoy tells all the same', async () => {
    const { send, stream, events } = world();
    await send(JSON_TYPE, '{"model":"a-model"}');
    const attributes = new Map([
      ['upstream.address', '10.0.0.9:8000'],
      ['response.code_details', 'upstream_reset_before_response_started{connection_termination}'],
    ]);
    expect(await stream.responseHeaders(new Map([[':status', '503']]), attributes)).toEqual(CONTINUE);
    stream.closed();
    expect(events.slice(1)).toEqual([['done', 503]]);
  });

  test('a stream that holds only a response, or nothing, is tolerated', async () => {
    const { stream, events } = world();
    expect(await stream.responseHeaders(new Map([[':status', '401']]), new Map())).toEqual(CONTINUE);
    stream.closed();
    expect(events).toEqual([]);
  });

  test('is released when the client leaves before the response, and when it leaves before the pick', async () => {
    const early = world();
    await early.send(JSON_TYPE, '{"model":"a-model"}');
    early.stream.closed();
    expect(early.events.slice(1)).toEqual([['done', undefined]]);

    let pick: (result: PickResult) => void = () => {};
    const late = world({
      pick: () => ({
        result: new Promise((resolve) => {
          pick = resolve;
        }),
        cancel: () => late.events.push(['cancelled']),
      }),
    });
    const answer = late.send(JSON_TYPE, '{"model":"a-model"}');
    await new Promise(setImmediate);
    late.stream.closed();
    pick(late.picked);
    await answer;
    expect(late.events).toEqual([['cancelled'], ['done']]);
  });
});

test('a peer that sends its messages twice leaks no ticket', async () => {
  const { stream, send, events } = world();
  await send(JSON_TYPE, '{"model":"a-model"}');
  await stream.requestBody(bodyFrom('{"model":"a-model"}'));
  stream.closed();
  expect(events.filter(([name]) => name === 'done')).toHaveLength(2);
});

describe('a request that is held', () => {
  function holding(state: Partial<GatewayState> = {}) {
    let decide: (result: PickResult) => void = () => {};
    const all = world({
      state,
      pick: () => ({
        result: new Promise((resolve) => {
          decide = resolve;
        }),
        cancel: () => all.events.push(['cancelled']),
      }),
    });
    return { all, decide: (result: PickResult) => decide(result) };
  }

  test('leaves by the name that its scheduler has by then, for Envoy has forgotten the old one', async () => {
    const { all, decide } = holding(ONLY);
    const { send, picked, swap } = all;
    const answer = send(JSON_TYPE, '{"model":"a-model"}');
    await new Promise(setImmediate);
    swap(gateway({ schedulers: [scheduler('a', { modelName: 'renamed' })] }));
    decide(picked);
    expect(routed(await answer).set).toMatchObject({
      'x-gateway-model-name': 'a-model',
      'x-gateway-base-model-name': 'renamed',
    });
  });

  test('is told when the router ends, and leaves its queue', async () => {
    const { router, send, events } = holding().all;
    const answer = send(JSON_TYPE, '{"model":"a-model"}');
    await new Promise(setImmediate);
    router.refuseHeld();
    expect(immediate(await answer)).toMatchObject({ status: 503, code: 'shutting_down' });
    expect(events).toEqual([['refused', 'shutting_down', 'ns/a'], ['cancelled']]);
  });

  test('has been held for as long as its body took to read', async () => {
    const { send, picks } = world({ tick: 600 });
    await send(JSON_TYPE, '{"model":"a-model"}');
    expect(picks[0]).toMatchObject({ heldMs: 600 });
  });
});

describe('the first token', () => {
  const SSE = { ':status': '200', 'content-type': 'text/event-stream' };
  const sampled = (state: Partial<GatewayState> = {}, sampleFirstToken = true) => {
    const rig = world({ state, pick: () => ({ ...rig.picked, sampleFirstToken }) as PickResult });
    return rig;
  };
  const heard = ({ events }: ReturnType<typeof world>) =>
    events.map(([name]) => name).filter((name) => name !== 'routed' && name !== 'served');

  test('of a sampled stream is told once, as it passes, and nothing of the answer changes', async () => {
    const rig = sampled();
    await rig.send(JSON_TYPE, '{"model":"a-model"}');
    expect(await rig.stream.responseHeaders(new Map(Object.entries(SSE)), new Map())).toEqual({
      kind: 'continue',
      setHeaders: [],
      streamResponseBody: true,
    });
    expect(await rig.stream.responseBody(Buffer.from(': alive\n\ndata: {"ch'), false)).toBe(CONTINUE);
    expect(heard(rig)).toEqual([]);
    expect(await rig.stream.responseBody(Buffer.from('oices":[]}\n\n'), false)).toBe(CONTINUE);
    expect(heard(rig)).toEqual(['first token']);
    expect(await rig.stream.responseBody(Buffer.from('data: {}\n\n'), true)).toBe(CONTINUE);
    rig.stream.closed();
    expect(heard(rig)).toEqual(['first token', 'done']);
  });

  test.each([
    ['is no stream', true, { ...SSE, 'content-type': 'application/json' }],
    ['is compressed', true, { ...SSE, 'content-encoding': 'gzip' }],
    ['is an error', true, { ...SSE, ':status': '500' }],
    ['is not sampled', false, SSE],
  ])('is not watched for where the answer %s', async (_, sample, headers) => {
    const rig = sampled({}, sample);
    await rig.send(JSON_TYPE, '{"model":"a-model"}');
    expect(await rig.stream.responseHeaders(new Map(Object.entries(headers)), new Map())).toBe(CONTINUE);
  });

  test('is seen also where the model of the stream is set back', async () => {
    const rewrite = {
      name: 'ns/alias',
      scheduler: 'ns/a',
      models: ['alias'],
      targets: [{ model: 'a-model', weight: 1 }],
    };
    const rig = sampled({ rewrites: [rewrite] });
    await rig.send(JSON_TYPE, '{"model":"alias"}');
    await rig.stream.responseHeaders(new Map(Object.entries(SSE)), new Map());
    const answer = routed(await rig.stream.responseBody(Buffer.from('data: {"model":"a-model"}\n\n'), false));
    expect(textOf(answer.body!)).toBe('data: {"model":"alias"}\n\n');
    expect(heard(rig)).toEqual(['first token']);
  });
});

describe('explanations', () => {
  test.each([
    [true, '1', true],
    [true, 'true', false],
    [false, '1', false],
  ])('where the configuration says %s and the client %s: asked for is %s', async (explain, value, expected) => {
    const { send, stream, picks } = world({
      state: { explain },
      // Others may have asked for it too.
      pick: () => ({ ...world().picked, explanation: explanation() }) as PickResult,
    });
    await send({ ...JSON_TYPE, 'x-gateway-explain': value }, '{"model":"a-model"}');
    expect(picks[0]?.explain).toBe(expected);
    const answer = routed(await stream.responseHeaders(new Map([[':status', '200']]), new Map()));
    expect(answer.set['x-gateway-decision']).toBe(expected ? decisionLine(explanation()) : undefined);
  });
});

describe('rewrites', () => {
  const state = {
    rewrites: [{ name: 'ns/canary', scheduler: 'ns/a', models: [], targets: [{ model: 'b-model', weight: 1 }] }],
  };

  test('only the bytes of the model change, and its length', async () => {
    const { send, events } = world({ state });
    const text = '{ "seed": 9007199254740993, "model" : "a-model", "prompt":"a-model" }';
    const answer = routed(await send({ ...JSON_TYPE, 'accept-encoding': 'gzip' }, text));
    expect(textOf(answer.body!)).toBe(text.replace('"a-model"', '"b-model"'));
    expect(answer.set).toMatchObject({
      'x-gateway-model-name': 'b-model',
      'x-gateway-base-model-name': 'b-model',
      'content-length': String(text.length),
    });
    expect(answer.removeHeaders).toEqual(['accept-encoding']);
    expect(events).toEqual([
      ['routed', expect.objectContaining({ scheduler: 'ns/b', rewrite: { name: 'ns/canary', from: 'a-model' } })],
    ]);
  });

  test('the response is set back to the name asked for', async () => {
    const { send, stream } = world({ state });
    await send(JSON_TYPE, '{"model":"a-model"}');
    const headers = new Map(
      Object.entries({ ':status': '200', 'content-type': 'text/event-stream', 'content-length': '9' }),
    );
    expect(await stream.responseHeaders(headers, new Map())).toMatchObject({
      streamResponseBody: true,
      removeHeaders: ['content-length'],
    });
    const answer = routed(await stream.responseBody(Buffer.from('data: {"model":"b-model"}\n\n'), true));
    expect(textOf(answer.body!)).toBe('data: {"model":"a-model"}\n\n');
  });

  test('the response is not read where the body did not change', async () => {
    const { send, stream } = world({ state });
    const headers = new Map(Object.entries({ ':status': '200', 'content-type': 'application/json' }));
    for (const request of [send(JSON_TYPE, '{"model":"b-model"}'), send({ 'x-gateway-model-name': 'a-model' })]) {
      await request;
      expect(await stream.responseHeaders(headers, new Map())).not.toHaveProperty('streamResponseBody');
    }
  });

  test('the model of a form is rewritten in its part', async () => {
    const type = 'multipart/form-data; boundary=b';
    const form = (model: string) => `--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--b--`;
    const answer = routed(await world({ state }).send({ 'content-type': type }, form('a-model')));
    expect(textOf(answer.body!)).toBe(form('b-model'));
  });
});

test('the gateway answers its own endpoints, also where a body follows', async () => {
  const { stream, events } = world();
  const headers = new Map(Object.entries({ ':method': 'GET', ':path': '/v1/models' }));
  expect(await stream.requestHeaders(headers, false)).toMatchObject({ kind: 'immediate', status: 200 });
  expect(events).toEqual([['answered', 'models']]);
});
