import { seededRandom } from '../engine/seeded-random';

/** As many as a scenario has by default. */
const CONNECTIONS = 16;

/**
 * Traces do not say how clients connect, which a connection-pinned balancer goes by. Gives each request in turn one of a
 * few connections by chance, the same each time.
 */
export function createConnections(): () => number {
  const random = seededRandom(0);
  return () => Math.floor(random() * CONNECTIONS);
}
