import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What a reconcile came to. */
export type ReconcileOutcome = 'done' | 'blocked' | 'failed' | 'waiting' | 'stood-back';

/** What is read when the page is asked for. */
export interface ControllerReadings {
  isLeader(): boolean;
  queueDepth(): number;
  /** By kind: seconds since the API server last said something about it. */
  staleness(): Iterable<readonly [kind: string, seconds: number]>;
}

export interface ControllerMetrics {
  reconciled(outcome: ReconcileOutcome, seconds: number): void;
  /** The API server refused an object, or could not be asked. `code`: HTTP status; 0: no answer. */
  failed(kind: string, code: number): void;
  applied(kind: string): void;
  pruned(kind: string): void;
  /** From the event of a pod to the EndpointSlice that follows from it. */
  sliced(seconds: number): void;
  /** For metrics of parts that are not the controller's own work. */
  readonly registry: Registry;
  page(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const PREFIX = 'inference_gateway_controller';
const RECONCILE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SLICE_SECONDS = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

/** Every label value comes from a closed set. */
export function createControllerMetrics(readings: ControllerReadings): ControllerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const reconciles = new Histogram({
    name: `${PREFIX}_reconcile_duration_seconds`,
    help: 'Reconciles of one InferenceGatewayConfig, by what they came to.',
    labelNames: ['outcome'],
    buckets: RECONCILE_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: `${PREFIX}_reconcile_errors_total`,
    help: 'Objects that could not be written, by kind and HTTP status; 0: no answer.',
    labelNames: ['kind', 'code'],
    registers,
  });
  const applies = new Counter({
    name: `${PREFIX}_applies_total`,
    help: 'Objects written, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const prunes = new Counter({
    name: `${PREFIX}_prunes_total`,
    help: 'Objects deleted because nothing wants them any more, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const slices = new Histogram({
    name: `${PREFIX}_endpoint_slice_latency_seconds`,
    help: 'From the event of a pod to the EndpointSlice that follows from it.',
    buckets: SLICE_SECONDS,
    registers,
  });
  new Gauge({
    name: `${PREFIX}_leader`,
    help: '1 where this process leads.',
    registers,
    collect() {
      this.set(readings.isLeader() ? 1 : 0);
    },
  });
  new Gauge({
    name: `${PREFIX}_queue_depth`,
    help: 'InferenceGatewayConfigs that wait to be reconciled.',
    registers,
    collect() {
      this.set(readings.queueDepth());
    },
  });
  new Gauge({
    name: `${PREFIX}_watch_staleness_seconds`,
    help: 'Since the API server last said something about a kind. A minute is usual.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, seconds] of readings.staleness()) this.set({ kind }, seconds);
    },
  });

  return {
    reconciled: (outcome, seconds) => reconciles.observe({ outcome }, seconds),
    failed: (kind, code) => errors.inc({ kind, code: String(code) }),
    applied: (kind) => applies.inc({ kind }),
    pruned: (kind) => prunes.inc({ kind }),
    sliced: (seconds) => slices.observe(seconds),
    registry,
    async page() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
