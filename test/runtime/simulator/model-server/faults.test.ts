import { parseFaults } from '../../../../runtime/simulator/model-server/faults';
import type { ModelServer } from '../../../../runtime/simulator/model-server/model-server';
import { eventually, metric, post, requestLog, withServer } from './with-server';

const ASK = { model: 'base', prompt: 'x', max_tokens: 20, ignore_eos: true };

const setFaults = async (server: ModelServer, faults: unknown) =>
  expect((await post(server, '/simulator/faults', faults)).status).toBe(200);

test('every wrong fault is named', () => {
  expect(() => parseFaults({ freeze: 1, error: 200, melt: true })).toThrow(/freeze.*error.*melt/);
});

test('a bad fault over HTTP is 400 and changes nothing', () =>
  withServer({ faults: { error: 500 } }, async (server) => {
    expect((await post(server, '/simulator/faults', { error: 'x' })).status).toBe(400);
    expect(await (await fetch(`${server.url}/simulator/faults`)).json()).toEqual({ error: 500, ready: true });
  }));

test('error: inference answers the status, health and metrics go on', () =>
  withServer({ faults: { error: 500 } }, async (server) => {
    expect((await post(server, '/v1/completions', ASK)).status).toBe(500);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await setFaults(server, {});
    expect((await post(server, '/v1/completions', ASK)).status).toBe(200);
  }));

test('stopMetrics: the page is gone, inference goes on', () =>
  withServer({ faults: { stopMetrics: true } }, async (server) => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(503);
    expect((await post(server, '/v1/completions', ASK)).status).toBe(200);
  }));

test.each([
  ['idle', 0, 0],
  ['full', 1000, 256],
] as const)('lyingMetrics: the page tells of an engine that is %s', (lyingMetrics, waiting, running) =>
  withServer({ faults: { lyingMetrics } }, async (server) => {
    expect(await metric(server, 'vllm:num_requests_waiting{')).toBe(waiting);
    expect(await metric(server, 'vllm:num_requests_running')).toBe(running);
    expect((await post(server, '/v1/completions', ASK)).status).toBe(200);
  }),
);

test('reset: an inference request ends with its connection, metrics go on', () =>
  withServer({ faults: { reset: true } }, async (server) => {
    await expect(post(server, '/v1/completions', ASK)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
  }));

test('startDelaySeconds: 503 everywhere until the time has passed', () =>
  withServer({ faults: { startDelaySeconds: 0.3 } }, async (server) => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(503);
    expect((await post(server, '/v1/completions', ASK)).status).toBe(503);
    await eventually(async () => (await fetch(`${server.url}/health`)).status, 200);
    expect((await post(server, '/v1/completions', ASK)).status).toBe(200);
  }));

test('freeze: a stream stops, new requests hang, and both finish when it is lifted', () =>
  withServer({ speed: 1 }, async (server) => {
    const stream = await post(server, '/v1/completions', { ...ASK, stream: true });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    await reader.read();
    await setFaults(server, { freeze: true });
    let probed = false;
    const probe = fetch(`${server.url}/health`).then(({ status }) => {
      probed = true;
      return status;
    });
    const waiting = post(server, '/v1/completions', ASK);
    await eventually(async () => (await requestLog(server)).total, 2);
    expect(probed).toBe(false);
    await setFaults(server, {});
    expect(await probe).toBe(200);
    expect((await waiting).status).toBe(200);
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value;
    expect(rest).toContain('[DONE]');
  }));

test('a client that leaves a frozen server is never served', () =>
  withServer({ faults: { freeze: true } }, async (server) => {
    const leaving = new AbortController();
    const asking = post(server, '/v1/completions', ASK, leaving.signal).catch(() => 'gone');
    const log = async () => (await requestLog(server)).requests;
    await eventually(async () => (await log()).length, 1);
    leaving.abort();
    expect(await asking).toBe('gone');
    await eventually(async () => (await log())[0]!.status, 0);
    await setFaults(server, {});
    expect(await metric(server, 'vllm:num_requests_running')).toBe(0);
    expect(await metric(server, 'vllm:num_requests_waiting')).toBe(0);
  }));

test('dieMidStream: the connection breaks after so many tokens, and the engine is free again', () =>
  withServer({ faults: { dieMidStream: 3 } }, async (server) => {
    const stream = await post(server, '/v1/completions', { ...ASK, stream: true });
    const decoder = new TextDecoder();
    let text = '';
    await expect(
      (async () => {
        for await (const chunk of stream.body!) text += decoder.decode(chunk);
      })(),
    ).rejects.toThrow();
    expect(text.match(/^data: /gm)).toHaveLength(3);
    await eventually(() => metric(server, 'vllm:num_requests_running'), 0);
  }));
