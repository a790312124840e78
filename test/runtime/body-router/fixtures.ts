import fc from 'fast-check';
import type { GatewayState, SchedulerState } from '../../../lib/translate/gateway-state';
import { bodyOf } from '../../../runtime/body-router/body/span';
import type { Body } from '../../../runtime/ext-proc/processor';

/** The text as a body in chunks that end at the given offsets (taken modulo its length). */
export function bodyFrom(text: string | Buffer, cuts: readonly number[] = []): Body {
  const bytes = Buffer.from(text);
  const at = [...new Set(cuts.map((cut) => (bytes.length === 0 ? 0 : cut % bytes.length)))].sort((a, b) => a - b);
  const edges = [0, ...at.filter((cut) => cut > 0), bytes.length];
  return bodyOf(edges.slice(1).map((end, i) => bytes.subarray(edges[i], end)));
}

export function textOf(body: Body): string {
  return Buffer.concat(body.chunks).toString('utf8');
}

export const cuts = () => fc.array(fc.nat(), { maxLength: 6 });

export function scheduler(name: string, overrides: Partial<SchedulerState> = {}): SchedulerState {
  return {
    namespace: 'ns',
    name,
    modelName: `${name}-model`,
    adapters: [],
    engine: 'vllm',
    weights: { queue: 2, kvCache: 2, prefix: 3, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 },
    overload: { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60 },
    endpoints: [{ address: '10.0.0.1:8000', pod: `ns/${name}-0`, ready: true }],
    ...overrides,
  };
}

export function gateway(overrides: Partial<GatewayState> = {}): GatewayState {
  return {
    gateway: 'ns/gw',
    bodyRouting: true,
    maxRequestBodyBytes: 1_000_000,
    explain: false,
    schedulers: [scheduler('a'), scheduler('b')],
    rewrites: [],
    ...overrides,
  };
}
