import { setTimeout as sleep } from 'node:timers/promises';
import type { PodStatus, PoolStatus } from '../endpoint-picker/status';

const LOOK_EVERY_MS = 20;

/** Resolves once each pod that is ready has been asked for its metrics, with or without success, or after `timeoutMs`. */
export async function untilInformed(status: () => readonly PoolStatus[], timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end && !isInformed(status())) await sleep(LOOK_EVERY_MS);
}

function isInformed(pools: readonly PoolStatus[]): boolean {
  const isKnown = ({ ready, metrics, excluded }: PodStatus) => !ready || metrics !== 'never' || excluded !== undefined;
  return pools.every(({ pods }) => pods.every(isKnown));
}
