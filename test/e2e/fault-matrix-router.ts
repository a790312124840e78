import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, send } from './support/send';

interface RouterFaultResult {
  readonly name: string;
  readonly requests: number;
  readonly failed: number;
  /** Milliseconds of a request, half of them at most: before the fault, and while it lasts. */
  readonly beforeMs: number;
  readonly duringMs: number;
  /** Milliseconds of the slowest while it lasts. */
  readonly slowestMs: number;
}

const POLL_MS = 10;

/** What a router that is stopped, and one that is killed again and again, costs requests of a gateway with one scheduler. */
export async function runRouterFaults(): Promise<readonly RouterFaultResult[]> {
  const gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: ['one', 'two'].map((name) => ({ name, scheduler: 'llama', speed: 20 })),
  });
  try {
    await untilPicks(gateway);
    const before = await timed(gateway, 60, 1);
    const stopped = gateway.local.pids().router!;
    process.kill(stopped, 'SIGSTOP');
    const whileStopped = await timed(gateway, 8, 8);
    process.kill(stopped, 'SIGCONT');
    await untilPicks(gateway);
    const kill = () => {
      const { router } = gateway.local.pids();
      if (router !== undefined) process.kill(router, 'SIGKILL');
    };
    kill();
    const timer = setInterval(kill, POLL_MS);
    const whileDead = await timed(gateway, 60, 1);
    clearInterval(timer);
    return [result('router stopped', before, whileStopped), result('router dead', before, whileDead)];
  } finally {
    await gateway.close();
  }
}

async function untilPicks({ local, url }: TestGateway): Promise<void> {
  const picks = async () => (await local.pools()).flatMap(({ pods }) => pods).reduce((sum, pod) => sum + pod.picks, 0);
  const before = await picks();
  await until('picks are made', async () => {
    await send(url, '/v1/chat/completions', { body: chatBody('llama') });
    return (await picks()) > before;
  });
}

interface Timed {
  readonly failed: number;
  /** Ascending. */
  readonly milliseconds: readonly number[];
}

async function timed({ url }: TestGateway, requests: number, parallel: number): Promise<Timed> {
  const milliseconds: number[] = [];
  let failed = 0;
  const client = async () => {
    for (let i = 0; i < requests / parallel; i++) {
      const start = performance.now();
      const { status } = await send(url, '/v1/chat/completions', { body: chatBody('llama') });
      milliseconds.push(performance.now() - start);
      if (status !== 200) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  return { failed, milliseconds: milliseconds.sort((a, b) => a - b) };
}

function result(name: string, before: Timed, during: Timed): RouterFaultResult {
  const median = ({ milliseconds }: Timed) => milliseconds[milliseconds.length >> 1]!;
  return {
    name,
    requests: during.milliseconds.length,
    failed: during.failed,
    beforeMs: median(before),
    duringMs: median(during),
    slowestMs: during.milliseconds.at(-1)!,
  };
}
