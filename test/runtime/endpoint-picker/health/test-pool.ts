import {
  createHealth,
  type HealthSubject,
  type PoolHealth,
} from '../../../../runtime/endpoint-picker/health/endpoint-health';
import { createPoolHealth, tend } from '../../../../runtime/endpoint-picker/health/pool-health';

/** An endpoint of which there is nothing but health and a number of requests. */
interface TestSubject extends HealthSubject {
  ready: boolean;
  freshUntil: number;
  readonly load: { requests: number };
}

export interface TestPool {
  readonly health: PoolHealth;
  readonly endpoints: readonly TestSubject[];
  /** As before a decision. */
  tend(now: number): void;
}

/** A pool of ready endpoints that are established. */
export function testPool(count: number): TestPool {
  const health = createPoolHealth();
  health.ready = count;
  const endpoints = Array.from({ length: count }, () => ({
    health: createHealth(),
    ready: true,
    freshUntil: Number.POSITIVE_INFINITY,
    load: { requests: 0 },
    pool: { health },
  }));
  return { health, endpoints, tend: (now) => tend(health, endpoints, now, () => undefined) };
}
