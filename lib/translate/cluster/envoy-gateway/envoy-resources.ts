import { isRecord, property } from '../../../api/validation/loose';
import { memoryLimit } from '../memory-limit';

/** What the Envoy container has where the config says nothing. */
const REQUESTS = { cpu: '1', memory: '1Gi' } as const;
const MEMORY_LIMIT = '4Gi';

/** Fewest threads that serve requests: with one, a large upload holds up all others. */
const LEAST_WORKERS = 2;

/** Resources of the Envoy container. It always has a limit of memory: Envoy Gateway bounds the heap by it. */
export function envoyResources(given: unknown): Readonly<Record<string, unknown>> {
  const limits = property(given, 'limits');
  const requests = property(given, 'requests');
  return {
    ...(isRecord(given) && given),
    requests: { ...(limits === undefined ? REQUESTS : {}), ...(isRecord(requests) ? requests : REQUESTS) },
    limits: { memory: memoryLimit(MEMORY_LIMIT, property(requests, 'memory')), ...(isRecord(limits) && limits) },
  };
}

/** Threads that serve requests: one for each CPU that the container may have or asks for. */
export function envoyWorkers(given: unknown): number {
  const { limits, requests } = envoyResources(given);
  const cpus = cpuCount(property(limits, 'cpu')) ?? cpuCount(property(requests, 'cpu')) ?? LEAST_WORKERS;
  return Math.max(LEAST_WORKERS, Math.ceil(cpus));
}

/** CPUs of a quantity such as `2`, `1.5` or `500m`. */
function cpuCount(quantity: unknown): number | undefined {
  const [, amount, milli] = /^([0-9]+(?:\.[0-9]*)?)(m?)$/.exec(String(quantity)) ?? [];
  if (amount === undefined) return undefined;
  return milli === 'm' ? Number(amount) / 1000 : Number(amount);
}
