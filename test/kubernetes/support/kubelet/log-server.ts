import { once } from 'node:events';
import { createReadStream, existsSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { KUBELET_PORT, NODE_IP } from '../addresses';
import { logTail } from '../log-tail';
import type { CertificateFiles } from '../self-signed';

type ContainerNames = [namespace: string, pod: string, container: string];

const FOLLOW_EVERY = 200;

/** The part of a kubelet's own server that `kubectl logs` needs. */
export async function startLogServer(
  { certificate, key }: Pick<CertificateFiles, 'certificate' | 'key'>,
  logFile: (...names: ContainerNames) => string,
  running: (...names: ContainerNames) => boolean,
): Promise<{ close(): Promise<void> }> {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet');
    const [kind, ...names] = pathname.split('/').slice(1);
    if (kind !== 'containerLogs' || names.length !== 3) {
      response.writeHead(501).end('this test kubelet serves logs only');
      return;
    }
    const file = logFile(...(names as ContainerNames));
    if (!existsSync(file)) {
      response.writeHead(404).end(`container ${names[2]} has not started`);
      return;
    }
    const tail = searchParams.get('tailLines');
    const follow = searchParams.get('follow') === 'true';
    void sendLog(response, file, tail, () => follow && running(...(names as ContainerNames)));
  });
  server.listen(KUBELET_PORT, NODE_IP);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function sendLog(
  response: ServerResponse,
  file: string,
  tail: string | null,
  more: () => boolean,
): Promise<void> {
  let sent = 0;
  if (tail !== null) {
    sent = statSync(file).size;
    response.write(`${logTail(file, Number(tail))}\n`);
  }
  for (let last = false; !response.destroyed && !last; ) {
    last = !more();
    const end = statSync(file).size;
    if (end > sent) {
      const part = createReadStream(file, { start: sent, end: end - 1 });
      part.pipe(response, { end: false });
      await once(part, 'close');
      sent = end;
    }
    if (!last) await sleep(FOLLOW_EVERY);
  }
  response.end();
}
