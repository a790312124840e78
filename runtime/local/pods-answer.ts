import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolStatus } from '../endpoint-picker/status';
import type { LocalGateway } from './local-gateway';

/** Two scrapes of an idle pod. */
const PODS_ANSWER_MS = 3_000;
const POLL_MS = 100;

/** The pools once every ready pod has answered a scrape; throws, with their names, when some do not in time. */
export async function untilPodsAnswer(gateway: Pick<LocalGateway, 'pools'>): Promise<readonly PoolStatus[]> {
  const deadline = performance.now() + PODS_ANSWER_MS;
  while (true) {
    const pools = await gateway.pools();
    const silent = pools
      .flatMap(({ pods }) => pods)
      .filter(({ ready, metrics }) => ready && (metrics === 'never' || metrics === 'stale'))
      .map(({ pod, address }) => `${pod} (${address})`);
    if (silent.length === 0) return pools;
    if (performance.now() > deadline) throw new Error(`no model server answers at: ${silent.join(', ')}`);
    await sleep(POLL_MS);
  }
}
