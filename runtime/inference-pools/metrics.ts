import { Gauge, Histogram, type Registry } from 'prom-client';

/** What Envoy Gateway asks. */
export type Hook = 'route' | 'translation';

export interface PoolMetrics {
  asked(hook: Hook, outcome: 'answered' | 'failed', seconds: number): void;
  streamOpened(): void;
  streamClosed(): void;
}

const PREFIX = 'inference_gateway_controller';
const HOOK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createPoolMetrics(registry: Registry): PoolMetrics {
  const registers = [registry];
  const hooks = new Histogram({
    name: `${PREFIX}_extension_duration_seconds`,
    help: 'What Envoy Gateway has asked about InferencePools, by hook and by whether it was answered.',
    labelNames: ['hook', 'outcome'],
    buckets: HOOK_SECONDS,
    registers,
  });
  const streams = new Gauge({
    name: `${PREFIX}_endpoint_streams`,
    help: 'Pools and pickers that Envoys follow the endpoints of here, each Envoy counted for itself.',
    registers,
  });
  return {
    asked: (hook, outcome, seconds) => hooks.observe({ hook, outcome }, seconds),
    streamOpened: () => streams.inc(),
    streamClosed: () => streams.dec(),
  };
}
