import http from 'node:http';
import type { Answer, ContinueAnswer, Processor } from '../../../runtime/ext-proc/processor';
import { CONTINUE } from '../../../runtime/ext-proc/processor';
import { type ExtProcServer, startExtProcServer } from '../../../runtime/ext-proc/server';
import { endpoint, schedulerState } from './builders';
import { type LiveEnvoy, type LiveServer, listenOn, request, startLiveEnvoy } from './live-envoy';

const DESTINATION = 'x-gateway-destination-endpoint';
const SERVED = 'x-gateway-destination-endpoint-served';

describe('a real Envoy and its processor', () => {
  let envoy: LiveEnvoy;
  let server: ExtProcServer;
  let pods: LiveServer[];
  let onHeaders: Answer;
  let onBody: ContinueAnswer;
  const served: Array<string | undefined> = [];

  const processor: Processor = {
    open: () => ({
      requestHeaders: () => onHeaders,
      requestBody: () => onBody,
      responseHeaders: (_headers, attributes) => {
        served.push(attributes.get('upstream.address'));
        return CONTINUE;
      },
      responseBody: () => CONTINUE,
      closed: () => {},
    }),
    overloaded: () => ({ kind: 'immediate', status: 503, headers: [], body: '', details: 'overloaded' }),
  };

  beforeAll(async () => {
    const pod = (name: string) => listenOn(http.createServer((_, outgoing) => outgoing.end(name)));
    pods = [await pod('a'), await pod('b'), await pod('fallback')];
    envoy = await startLiveEnvoy({
      maxRequestBodyBytes: 1_000_000,
      schedulers: [
        schedulerState('m1', [endpoint(address(0)), endpoint(address(1))]),
        schedulerState('m2', [endpoint(address(1))]),
      ],
      defaultBackend: { name: 'localhost', port: Number(address(2).split(':')[1]) },
    });
    server = await startExtProcServer({
      processor,
      listen: { path: envoy.processorSocket },
      maxMessageBytes: 2_000_000,
      onHandlerError: (error) => {
        throw error;
      },
    });
  });
  afterAll(async () => {
    await envoy.stop();
    await server.close(0);
    await Promise.all(pods.map((pod) => pod.close()));
  });
  beforeEach(() => {
    onHeaders = CONTINUE;
    served.length = 0;
  });

  const address = (index: number) => pods[index]?.address ?? '';
  const post = () => request({ port: envoy.port, path: '/v1/chat/completions', body: '{}' });
  const routed = (model: string, headers: ReadonlyArray<readonly [string, string]> = []): ContinueAnswer => ({
    kind: 'continue',
    clearRouteCache: true,
    setHeaders: [['x-gateway-base-model-name', model], ...headers],
  });

  it('sends each request to the pod that the header names', async () => {
    for (const index of [0, 1, 0, 1]) {
      onBody = routed('m1', [[DESTINATION, address(index)]]);
      const reply = await post();
      expect([reply.body, reply.headers[SERVED]]).toEqual([index === 0 ? 'a' : 'b', address(index)]);
    }
    expect(served).toEqual([address(0), address(1), address(0), address(1)]);
  });

  it('goes through the list of the header, and of the metadata, in order', async () => {
    for (const list of [`127.0.0.1:1,${address(1)}`, `127.0.0.1:1,127.0.0.1:2,${address(1)}`]) {
      onBody = routed('m1', [[DESTINATION, list]]);
      expect((await post()).body).toBe('b');
      onBody = { ...routed('m1'), lbMetadata: { [DESTINATION]: list } };
      expect((await post()).body).toBe('b');
    }
  });

  it('never leaves the pool of the model', async () => {
    onBody = routed('m2', [[DESTINATION, address(0)]]);
    expect((await post()).body).toBe('b');
  });

  it('sends what no scheduler serves to the default backend when the processor says so', async () => {
    onBody = { kind: 'continue', clearRouteCache: true, setHeaders: [['x-gateway-default-backend', '1']] };
    expect((await post()).body).toBe('fallback');
  });

  it('gives the answer of the processor unchanged, whatever its status and type', async () => {
    for (const [status, type] of [
      [404, 'application/json'],
      [429, 'application/json'],
      [503, 'text/plain'],
    ] as const) {
      const headers = [['content-type', type] as const, ['retry-after', '3'] as const];
      onHeaders = { kind: 'immediate', status, headers, body: 'as it is', details: 'test' };
      const reply = await post();
      expect(reply).toMatchObject({ status, body: 'as it is' });
      expect(reply.headers).toMatchObject({ 'content-type': type, 'retry-after': '3' });
      expect(reply.headers).not.toHaveProperty(SERVED);
    }
  });
});
