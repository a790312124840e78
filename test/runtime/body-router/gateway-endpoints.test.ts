import type { GatewayState } from '../../../lib/translate/gateway-state';
import { gatewayReply } from '../../../runtime/body-router/gateway-endpoints';
import { compileRouting } from '../../../runtime/body-router/models/routing';
import { gateway, scheduler } from './fixtures';

const STATE = gateway({ schedulers: [scheduler('a', { adapters: ['org/sql v2'] }), scheduler('b')] });

function get(path: string, state: GatewayState = STATE, method = 'GET') {
  const headers = new Map([
    [':method', method],
    [':path', path],
  ]);
  const reply = gatewayReply(headers, compileRouting(state), 1_700_000_000);
  return reply && { status: reply.answer.status, json: JSON.parse(reply.answer.body), refused: reply.refused };
}

test.each(['/v1/models', '/v1/models/', '/v1/models?a=/v1/x', '/tenant/eu/v1/models#x'])(
  'GET %s lists the models and adapters of all schedulers',
  (path) => {
    const { status, json } = get(path)!;
    expect(status).toBe(200);
    expect(json.object).toBe('list');
    expect(json.data.map((model: { id: string; parent: string }) => [model.id, model.parent])).toEqual([
      ['a-model', null],
      ['b-model', null],
      ['org/sql v2', 'a-model'],
    ]);
    expect(json.data[2]).toEqual({
      id: 'org/sql v2',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'ns/gw',
      root: 'org/sql v2',
      parent: 'a-model',
    });
  },
);

test.each(['/v1/models/org/sql%20v2', '/x/v1/models/org%2Fsql%20v2?q'])('GET %s shows one model', (path) => {
  expect(get(path)).toMatchObject({ status: 200, json: { id: 'org/sql v2' } });
});

test.each(['/v1/models/none', '/v1/models/%zz'])('GET %s is a 404 of the catalogue', (path) => {
  expect(get(path)).toMatchObject({
    status: 404,
    json: { error: { code: 'model_not_found' } },
    refused: 'model_not_found',
  });
});

test('HEAD is answered as GET, other methods are not', () => {
  expect(get('/v1/models', STATE, 'HEAD')).toMatchObject({ status: 200 });
  expect(get('/v1/models', STATE, 'POST')).toBeUndefined();
});

test('is ready where the pickers know an endpoint that the state has not', () => {
  const state = gateway({ schedulers: [scheduler('a', { endpoints: [] }), scheduler('b', { endpoints: [] })] });
  const headers = new Map([
    [':method', 'GET'],
    [':path', '/readyz'],
  ]);
  const answer = (ready: string) => gatewayReply(headers, compileRouting(state), 0, (name) => name === ready)!.answer;
  expect(answer('ns/none').status).toBe(503);
  expect(answer('ns/b')).toMatchObject({ status: 200, body: expect.stringContaining('"total":2,"ready":1') });
});

test.each(['/v1/modelsx', '/v2/models', '/v1/responses/r1', '/foo/health'])('GET %s is not for the gateway', (path) => {
  expect(get(path)).toBeUndefined();
});

test("the model list is the model server's where no scheduler has a model", () => {
  const { modelName: _, ...open } = scheduler('a');
  expect(get('/v1/models', gateway({ bodyRouting: false, schedulers: [open] }))).toBeUndefined();
});

test.each(['/health', '/healthz?x'])('GET %s is 200 while the router runs', (path) => {
  expect(get(path, gateway({ schedulers: [] }))).toMatchObject({ status: 200 });
});

test('GET /ready is 200 while any scheduler has a ready endpoint, else 503', () => {
  const down = scheduler('a', { endpoints: [{ address: '10.0.0.1:80', pod: 'ns/p', ready: false }] });
  expect(get('/ready', gateway({ schedulers: [down, scheduler('b')] }))).toMatchObject({
    status: 200,
    json: { schedulers: { total: 2, ready: 1 } },
  });
  expect(get('/readyz', gateway({ schedulers: [down] }))).toMatchObject({ status: 503 });
});
