import { credentials } from '@grpc/grpc-js';
import type { GatewayState } from '../../../lib/translate/gateway-state';
import { gatewayState, schedulerState } from '../../runtime/endpoint-picker/support/fixtures';
import {
  connectProxy,
  headerList,
  type Message,
  requestMessages,
  routed,
  type SentRequest,
} from '../../runtime/gie-picker/grpc-proxy';
import { responseMessages } from '../../runtime/gie-picker/rig';
import { selfSigned } from '../../runtime/gie-picker/self-signed';
import { servePicker } from './serve-picker';

const BODY = '{"model": "conformance-fake-model", "prompt": "Describe San Francisco in one sentence."}';
const SELECTION = 'test-epp-endpoint-selection';
const RESULT = 'x-conformance-test-served-endpoint';
/** envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode */
const BUFFERED = { requestBodyMode: 'BUFFERED', responseBodyMode: 'NONE' };

const POOL = schedulerState({
  endpoints: ['10.0.0.1:3000', '10.0.0.2:3000', '10.0.0.3:3000'].map((address, index) => ({
    address,
    pod: `models/pod-${index}`,
    ready: true,
  })),
});
const STATE: GatewayState = { ...gatewayState(POOL), bodyRouting: false };

async function start(state: () => GatewayState | undefined = () => STATE) {
  const errors: unknown[] = [];
  const { cert, key } = selfSigned();
  const loopback = { host: '127.0.0.1', port: 0 };
  const served = await servePicker({
    state,
    listen: loopback,
    health: loopback,
    tls: { cert, key },
    onError: (error) => errors.push(error),
  });
  const channel = credentials.createSsl(null, null, null, { rejectUnauthorized: false });
  const proxy = connectProxy(served.address as { host: string; port: number }, channel);
  const probe = connectProxy(served.healthAddress as { host: string; port: number });
  return {
    proxy,
    probe,
    errors,
    async [Symbol.asyncDispose]() {
      proxy.close();
      probe.close();
      await served.close();
    },
  };
}

/** All answers to a request, and those to the messages after it. */
async function ask(request: SentRequest, after: readonly Message[] = []) {
  await using picker = await start();
  const stream = picker.proxy.open();
  for (const message of requestMessages(request)) stream.send(message);
  for (const message of after) stream.send(message);
  stream.end();
  const answers = await stream.rest();
  expect(picker.errors).toEqual([]);
  return answers;
}

describe('by TLS', () => {
  test('a request with a body goes where it is told to, with its own bytes', async () => {
    const answer = routed(await ask({ headers: { [SELECTION]: '10.0.0.3' }, body: [BODY.slice(0, 9), BODY.slice(9)] }));

    expect(answer).toMatchObject({ destination: '10.0.0.3:3000', metadata: '10.0.0.3:3000', body: BODY });
    expect(answer.ends.at(-1)).toBe(true);
  });

  test('a request without one goes to any', async () => {
    const [{ requestHeaders }] = await ask({});

    const [{ header }] = requestHeaders.response.headerMutation.setHeaders;
    expect(header.rawValue.toString()).toMatch(/^10\.0\.0\.[123]:3000$/);
  });

  test('what it is told goes before the subset of the proxy', async () => {
    const told = { headers: { [SELECTION]: '10.0.0.3:3000' }, body: [BODY], subset: ['10.0.0.1:3000'] };

    expect(routed(await ask(told)).destination).toBe('10.0.0.3:3000');
    expect(routed(await ask({ body: [BODY], subset: ['10.0.0.1:3000'] })).destination).toBe('10.0.0.1:3000');
  });

  test('where none of the pool is named, it is refused', async () => {
    const [{ immediateResponse }] = await ask({ headers: { [SELECTION]: '10.9.9.9:3000' }, body: [BODY] });

    expect(immediateResponse.status.code).toBe(503);
  });

  test('a proxy that buffers bodies learns the endpoint with the body', async () => {
    const [head, body] = requestMessages({ headers: { [SELECTION]: '10.0.0.3' }, body: [BODY] });

    await using picker = await start();
    const stream = picker.proxy.open();
    stream.send({ ...head, protocolConfig: BUFFERED });
    expect(await stream.next()).toMatchObject({ response: 'requestHeaders' });
    stream.send(body);
    const { requestBody } = await stream.next();
    stream.end();

    expect(requestBody.response.headerMutation.setHeaders[0].header.rawValue.toString()).toBe('10.0.0.3:3000');
    expect(requestBody.response.bodyMutation ?? null).toBeNull();
  });
});

describe('the response tells', () => {
  const [head] = responseMessages({}, []);

  async function told(metadataContext?: Message): Promise<string> {
    const answers = await ask({ body: [BODY] }, [{ ...head, ...(metadataContext && { metadataContext }) }]);
    const { responseHeaders } = answers.at(-1);
    const set: Message[] = responseHeaders.response.headerMutation.setHeaders;
    return set.find(({ header }) => header.key === RESULT).header.rawValue.toString();
  }

  test('which endpoint the gateway says has served', async () => {
    const fields = { 'x-gateway-destination-endpoint-served': { stringValue: '10.0.0.2:3000' } };

    expect(await told({ filterMetadata: { 'envoy.lb': { fields } } })).toBe('10.0.0.2:3000');
  });

  test('that it has not said so, whatever the response itself says', async () => {
    const lying = { responseHeaders: { headers: { headers: headerList({ ':status': '200', [RESULT]: 'me' }) } } };

    expect(await told()).toMatch(/^fail: /);
    const answers = await ask({ body: [BODY] }, [lying]);
    expect(JSON.stringify(answers.at(-1))).toContain(JSON.stringify(Buffer.from('fail: ').toJSON().data).slice(1, -1));
  });

  test('and its body goes on as it is', async () => {
    const answers = await ask({ body: [BODY] }, responseMessages({}, ['some', 'thing']));

    const pieces = answers.filter(({ response }) => response === 'responseBody');
    const text = pieces.map(({ responseBody }) => responseBody.response.bodyMutation.streamedResponse.body.toString());
    expect(text.join('')).toBe('something');
  });
});

test('probes are told that it serves once the pool is known, whatever service they name', async () => {
  let state: GatewayState | undefined;
  await using picker = await start(() => state);
  expect(await picker.probe.health('inference-extension')).toBe('NOT_SERVING');

  state = STATE;
  expect(await picker.probe.health('inference-extension')).toBe('SERVING');
});
