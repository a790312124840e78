import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ExecResult } from '../support/kubelet/container/container-process';
import { inertProcess } from '../support/kubelet/container/inert-process';
import { ask, type Target } from '../support/kubelet/probes/handler';
import { probeLoop } from '../support/kubelet/probes/probe-loop';

/** A gRPC server whose health check answers with this message. */
async function grpcServer(message: Buffer) {
  const server = createServer();
  const asked: Buffer[] = [];
  server.on('stream', (stream) => {
    stream.on('data', (chunk: Buffer) => asked.push(chunk));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    const frame = Buffer.from([0, 0, 0, 0, message.length]);
    stream.end(Buffer.concat([frame, message]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, asked, port: (server.address() as AddressInfo).port };
}

const target = (exec?: () => Promise<ExecResult>): Target => ({
  podIp: '127.0.0.1',
  ports: new Map([['http', 1]]),
  process: { ...inertProcess(), ...(exec === undefined ? {} : { exec }) },
});

test.each([
  ['serving', Buffer.from([0x08, 1]), undefined],
  ['not serving', Buffer.from([0x08, 2]), 'service "a" is not serving (status 2)'],
  ['unknown', Buffer.alloc(0), 'service "a" is not serving (status 0)'],
])('a gRPC service that is %s', async (_name, message, failure) => {
  const { server, asked, port } = await grpcServer(message);
  const result = await ask({ grpc: { port, service: 'a' } }, target(), 1_000);
  server.close();

  expect(result).toBe(failure);
  expect(Buffer.concat(asked)).toEqual(Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, 0x61]));
});

test('a port that nobody listens at, and one that the container does not name', async () => {
  expect(await ask({ tcpSocket: { port: 'http' } }, target(), 1_000)).toContain('ECONNREFUSED');
  expect(await ask({ httpGet: { port: 'metrics' } }, target(), 1_000)).toBe('the container has no port "metrics"');
});

test('a probe speaks once its threshold is reached, and again when it changes its mind', async () => {
  const codes = [1, 0, 0, 0, 1, 1, 0, 0];
  const stop = new AbortController();
  const said: string[] = [];
  const exec = async () => {
    const code = codes.shift();
    if (codes.length === 0) stop.abort();
    said.push(String(code));
    return { code: code ?? 0, output: '' };
  };
  const probe = { exec: { command: ['x'] }, periodSeconds: 0.02, successThreshold: 2, failureThreshold: 2 };
  await probeLoop(probe, target(exec), stop.signal, {
    result: (healthy) => said.push(healthy ? 'well' : 'ill'),
    failed: () => {},
  });

  expect(said).toEqual(['1', '0', '0', 'well', '0', '1', '1', 'ill', '0', '0']);
});
