import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A request as a scripted pod received it. */
export interface ScriptedRequest {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ScriptedPod {
  readonly requests: readonly ScriptedRequest[];
  close(): Promise<void>;
}

/** A pod in the test's own process, whose answers `answer` writes byte by byte. It has no metrics. */
export async function startScriptedPod(
  address: string,
  answer: (request: ScriptedRequest, response: ServerResponse) => void,
): Promise<ScriptedPod> {
  const { hostname, port } = new URL(`http://${address}`);
  const requests: ScriptedRequest[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = { body: Buffer.concat(chunks).toString(), headers: request.headers };
      requests.push(received);
      answer(received, response);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), hostname, resolve);
  });
  return {
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
