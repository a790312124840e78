import {
  createHealth,
  type HealthSubject,
  type PoolHealth,
} from '../../../../runtime/endpoint-picker/health/endpoint-health';
import { createPoolHealth, forget, tend } from '../../../../runtime/endpoint-picker/health/pool-health';

/** An endpoint of which there is nothing but health and a number of requests. */
interface TestSubject extends HealthSubject {
  ready: boolean;
  freshUntil: number;
  readonly load: { requests: number };
}

export interface TestPool {
  readonly health: PoolHealth;
  readonly endpoints: readonly TestSubject[];
  /** Puts a new endpoint in the place of one, which is returned. */
  replace(place: number): HealthSubject;
  /** As before a decision. */
  tend(now: number): void;
}

/** A pool of ready endpoints that are established. */
export function testPool(count: number): TestPool {
  const health = createPoolHealth();
  health.ready = count;
  const create = (): TestSubject => ({
    health: createHealth(),
    ready: true,
    freshUntil: Number.POSITIVE_INFINITY,
    load: { requests: 0 },
    pool: { health },
  });
  const endpoints = Array.from({ length: count }, create);
  function replace(place: number): HealthSubject {
    const former = endpoints[place]!;
    forget(health, former);
    endpoints[place] = create();
    health.ready = endpoints.filter(({ ready }) => ready).length;
    return former;
  }
  return { health, endpoints, replace, tend: (now) => tend(health, endpoints, now, () => undefined) };
}
