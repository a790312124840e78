/**
 * Opens the access to a cluster and does what standard input says, line by line, answering each with a line. A process of
 * its own, for jest cannot load Kubernetes' client, which is an ES module.
 */
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { openAccess } from '../../../../runtime/kubernetes/access';
import { VirtualClock } from '../../../support/clocks';

/** Credentials are asked for. */
export interface Step {
  /** Milliseconds that pass before. */
  readonly after: number;
  readonly refused: boolean;
}

export interface OpenOptions {
  readonly kubeconfig?: string;
  readonly root?: string;
  /** Milliseconds that pass while it is being opened, again and again. */
  readonly passMs?: number;
}

const { kubeconfig, root, passMs } = JSON.parse(process.argv[2] ?? '{}') as OpenOptions;
const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function main(): Promise<void> {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const log = pino({}, { write: (line: string) => warnings.push(JSON.parse(line).msg) });
  if (passMs !== undefined) setInterval(() => void clock.advance(passMs), 100).unref();
  const access = await openAccess({
    clock,
    log,
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(root !== undefined && { root }),
  });
  let { connection } = await access.credentials();
  say({ server: access.server, namespace: access.namespace });
  for await (const line of createInterface(process.stdin)) {
    const { after, refused } = JSON.parse(line) as Step;
    await clock.advance(after);
    const credentials = await access.credentials(refused);
    const tls = Object.entries(credentials.connection.tls).map(([name, value]) => [name, String(value)]);
    say({
      headers: credentials.headers,
      tls: Object.fromEntries(tls),
      proxy: credentials.connection.proxy,
      isSameConnection: credentials.connection === connection,
      warnings: warnings.splice(0),
    });
    connection = credentials.connection;
  }
}

main().catch((error: Error) => say({ error: error.message }));
