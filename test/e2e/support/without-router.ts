import { setTimeout as sleep } from 'node:timers/promises';
import type { TestGateway } from './gateway';
import { send } from './send';
import { until } from './until';

/** A new router process needs far longer than this to listen. */
const KILL_EVERY_MS = 5;

/**
 * Runs `action` while the router process is dead: SIGKILL, again as often as the supervisor starts it anew. Resolves
 * once the router that is left alone afterwards answers.
 */
export async function withoutRouter<T>(gateway: TestGateway, action: () => Promise<T>): Promise<T> {
  let over = false;
  const killing = (async () => {
    while (!over) {
      killRouter(gateway);
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

/** SIGKILL, once. */
function killRouter(gateway: TestGateway): void {
  const pid = gateway.local.pids().router;
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** Resolves once the router itself answers, not Envoy in its place. */
export async function routerAnswers(gateway: TestGateway): Promise<void> {
  await until('the router answers', async () => (await send(gateway.url, '/health')).body.toString().includes('"ok"'));
}
