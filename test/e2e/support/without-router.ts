import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until';
import type { TestGateway } from './gateway';
import { send } from './send';

/** A new router process needs far longer than this to listen. */
const KILL_EVERY_MS = 5;

/**
 * Runs `action` while every router process is dead: SIGKILL, again as often as it is started anew. Resolves
 * once the router that is left alone afterwards answers.
 */
export async function withoutRouter<T>(gateway: TestGateway, action: () => Promise<T>): Promise<T> {
  let over = false;
  const killing = (async () => {
    while (!over) {
      gateway.signalAll('router', 'SIGKILL');
      await sleep(KILL_EVERY_MS);
    }
  })();
  try {
    return await action();
  } finally {
    over = true;
    await killing;
    await routerAnswers(gateway);
  }
}

/** Resolves once the router itself answers, not Envoy in its place. */
export async function routerAnswers(gateway: TestGateway): Promise<void> {
  await until('the router answers', async () => (await send(gateway.url, '/health')).body.toString().includes('"ok"'));
}
