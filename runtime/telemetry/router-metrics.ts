import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BodyRouterObserver } from '../body-router/observer';
import type { AdmissionObserver } from '../endpoint-picker/admission/observe';
import type { WaitingStatus } from '../endpoint-picker/admission/waiting-room';
import type { Refusal } from '../endpoint-picker/endpoint-picker';
import { EXCLUSION_REASONS } from '../endpoint-picker/health/endpoint-health';
import type { KvEventsObserver } from '../endpoint-picker/kv-events/observe';
import type { PickerObserver } from '../endpoint-picker/observe';
import type { PodStatus, PoolStatus } from '../endpoint-picker/status';
import type { EndedDecision } from '../explain/explaining-picker';
import type { ExtProcCounters } from '../ext-proc/counters';
import { registerAdmissionMetrics } from './admission-metrics';
import { labelLimit } from './label-limit';
import { createTtftMetrics } from './ttft-metrics';

export interface RouterMetrics {
  readonly router: BodyRouterObserver;
  readonly picker: PickerObserver;
  readonly kvEvents: KvEventsObserver;
  /** A decision is over whose first token was watched for. */
  readonly decided: (decision: EndedDecision) => void;
  readonly admission: AdmissionObserver;
  /** No picker process made a pick for the scheduler in time. */
  readonly noAnswer: (scheduler: string) => void;
  /** The page, in the Prometheus text format. */
  page(): Promise<MetricsPage>;
}

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** What is read when a page is asked for, so that it costs nothing on the path of a request. */
export interface RouterReadings {
  pools(): readonly PoolStatus[];
  waiting(): readonly WaitingStatus[];
  readonly counters: () => Readonly<ExtProcCounters>;
  bufferedBytes(): number;
  /** Of a router, the picker processes that it is connected to; of a picker process, the routers. Absent: neither is. */
  peers?(): number | undefined;
}

/** Seconds; most decisions take tens of microseconds. */
const DECISION_BUCKETS = [1e-5, 2e-5, 3e-5, 4e-5, 5e-5, 7.5e-5, 1e-4, 1.5e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1e-1];
const ROUTING_BUCKETS = [5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 1e-1, 0.25, 0.5, 1];
const SIZE_BUCKETS = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28];

/** Models, adapters and rewrites that get series of their own. */
const MAX_NAMES = 1000;

/**
 * Metrics of the Body-Based Router and the Endpoint Pickers, in the inference extension's names where it has one.
 * Every label value comes from the configuration or from a closed set.
 */
export function createRouterMetrics(readings: RouterReadings): RouterMetrics {
  const registry = new Registry();
  const registers = [registry];

  const requests = new Counter({
    name: 'inference_objective_request_total',
    help: 'Requests sent to a pool.',
    labelNames: ['model_name', 'target_model_name'],
    registers,
  });
  const sizes = new Histogram({
    name: 'inference_objective_request_sizes',
    help: 'Bytes of request bodies.',
    labelNames: ['target_model_name'],
    buckets: SIZE_BUCKETS,
    registers,
  });
  const routing = new Histogram({
    name: 'bbr_request_duration_seconds',
    help: 'From the last byte of a request to its routing: scanning, hashing and the pick.',
    buckets: ROUTING_BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'inference_objective_request_error_total',
    help: 'Requests that the gateway refused, by its error code.',
    labelNames: ['error_code'],
    registers,
  });
  const answered = new Counter({
    name: 'bbr_answered_total',
    help: 'Requests that the gateway answered itself.',
    labelNames: ['endpoint'],
    registers,
  });
  const defaulted = new Counter({
    name: 'bbr_default_backend_total',
    help: 'Requests for unknown models that went to the default backend.',
    registers,
  });
  const rewrites = new Counter({
    name: 'inference_extension_model_rewrite_decisions_total',
    help: 'Requests whose model an InferenceModelRewrite chose.',
    labelNames: ['model_rewrite_name', 'model_name', 'target_model'],
    registers,
  });
  const decisions = new Histogram({
    name: 'inference_extension_scheduler_e2e_duration_seconds',
    help: 'Time of a scheduling decision.',
    buckets: DECISION_BUCKETS,
    registers,
  });
  const refusedPicks = new Map<string, Map<Refusal | 'no-answer', number>>();
  new Counter({
    name: 'inference_extension_scheduler_attempts_total',
    help: 'Scheduling decisions, by outcome and by the pod chosen.',
    labelNames: ['status', 'inference_pool', 'pod_name'],
    registers,
    // Of the pods that are there now: one that is gone takes its series with it.
    collect() {
      this.reset();
      for (const { scheduler, pods } of readings.pools()) {
        for (const { pod, picks } of pods) {
          this.inc({ status: 'success', inference_pool: scheduler, pod_name: pod }, picks);
        }
      }
      for (const [scheduler, counts] of refusedPicks) {
        for (const [status, count] of counts) this.inc({ status, inference_pool: scheduler, pod_name: '' }, count);
      }
    },
  });
  const elsewhere = new Counter({
    name: 'inference_extension_served_elsewhere_total',
    help: 'Requests that another endpoint served than the one picked: another pod of the pool, or an unknown address.',
    labelNames: ['inference_pool', 'kind'],
    registers,
  });
  const retries = new Counter({
    name: 'inference_extension_retries_total',
    help: 'Connection attempts that failed before another endpoint answered the request.',
    labelNames: ['inference_pool'],
    registers,
  });
  const scrapes = new Histogram({
    name: 'inference_extension_scrape_duration_seconds',
    help: 'Reads of a pod metrics page, by outcome.',
    labelNames: ['inference_pool', 'outcome'],
    buckets: [1e-3, 2e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const kvEvents = new Counter({
    name: 'inference_extension_kv_events_total',
    help: 'Messages of KV events from pods, and what went wrong with them.',
    labelNames: ['inference_pool', 'kind'],
    registers,
  });
  const tokenizing = new Histogram({
    name: 'inference_extension_tokenize_wait_seconds',
    help: 'Time that a pick has waited for the tokens of its prompt, by outcome.',
    labelNames: ['inference_pool', 'outcome'],
    buckets: [1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1],
    registers,
  });
  registerReadings(registry, readings);
  const { left } = registerAdmissionMetrics(registry, () => readings.waiting());
  const limited = labelLimit(MAX_NAMES);

  function refused(scheduler: string, kind: Refusal | 'no-answer'): void {
    const counts = refusedPicks.get(scheduler) ?? new Map<Refusal | 'no-answer', number>();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    refusedPicks.set(scheduler, counts);
  }

  return {
    decided: createTtftMetrics(registry, limited),
    router: {
      requestRouted({ model, bodyBytes, decisionMs, rewrite }) {
        const target = limited(model);
        const asked = rewrite === undefined ? target : limited(rewrite.from);
        requests.inc({ model_name: asked, target_model_name: target });
        sizes.observe({ target_model_name: target }, bodyBytes);
        routing.observe(decisionMs / 1000);
        if (rewrite === undefined) return;
        rewrites.inc({ model_rewrite_name: limited(rewrite.name), model_name: asked, target_model: target });
      },
      requestRefused: (refusal) => refusals.inc({ error_code: refusal }),
      requestDefaulted: () => defaulted.inc(),
      requestAnswered: (endpoint) => answered.inc({ endpoint }),
    },
    kvEvents: {
      kvEvents: (scheduler, kind) => kvEvents.inc({ inference_pool: scheduler, kind }),
      tokenized: (scheduler, outcome, milliseconds) =>
        tokenizing.observe({ inference_pool: scheduler, outcome }, milliseconds / 1000),
    },
    picker: {
      picked: (_scheduler, _pod, microseconds) => decisions.observe(microseconds / 1e6),
      refused,
      servedElsewhere: (scheduler, kind) => elsewhere.inc({ inference_pool: scheduler, kind }),
      retried: (scheduler, attempts) => retries.inc({ inference_pool: scheduler }, attempts),
      scraped: (scheduler, outcome, milliseconds) =>
        scrapes.observe({ inference_pool: scheduler, outcome }, milliseconds / 1000),
    },
    admission: {
      refused,
      left(scheduler, band, outcome, waitedMs) {
        left(scheduler, band, outcome, waitedMs);
        if (outcome !== 'dispatched') refused(scheduler, outcome);
      },
    },
    noAnswer: (scheduler) => refused(scheduler, 'no-answer'),
    async page() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function registerReadings(registry: Registry, { pools, counters, bufferedBytes, peers }: RouterReadings): void {
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        collect(this);
      },
    });
  const poolMean = (name: string, help: string, value: (pod: PoolStatus['pods'][number]) => number | undefined) =>
    gauge(name, help, ['name'], (metric) => {
      for (const pool of pools()) {
        const values = pool.pods
          .filter((pod) => pod.metrics === 'fresh')
          .map(value)
          .filter((one) => one !== undefined);
        if (values.length > 0) metric.set({ name: pool.scheduler }, values.reduce((a, b) => a + b, 0) / values.length);
      }
    });

  poolMean(
    'inference_pool_average_kv_cache_utilization',
    'Mean KV cache use of the fresh pods, 0 to 1.',
    (p) => p.kvUsage,
  );
  poolMean('inference_pool_average_queue_size', 'Mean waiting requests of the fresh pods.', (p) => p.waiting);
  poolMean('inference_pool_average_running_requests', 'Mean running requests of the fresh pods.', (p) => p.running);
  gauge(
    'inference_pool_ready_pods',
    'Pods that are ready, not excluded, and whose metrics are not stale.',
    ['name'],
    (metric) => {
      for (const pool of pools()) {
        const isUsable = (pod: PodStatus) => pod.ready && pod.excluded === undefined && pod.metrics !== 'stale';
        metric.set({ name: pool.scheduler }, pool.pods.filter(isUsable).length);
      }
    },
  );
  gauge(
    'inference_pool_excluded_pods',
    'Pods that are ready and get no requests for the time being, by reason.',
    ['name', 'reason'],
    (metric) => {
      for (const pool of pools()) {
        for (const reason of EXCLUSION_REASONS) {
          const excluded = pool.pods.filter((pod) => pod.ready && pod.excluded === reason);
          metric.set({ name: pool.scheduler, reason }, excluded.length);
        }
      }
    },
  );
  gauge(
    'inference_pool_per_pod_queue_size',
    'Waiting requests of each pod as last scraped.',
    ['name', 'model_server_pod'],
    (metric) => {
      for (const pool of pools()) {
        for (const pod of pool.pods) {
          if (pod.waiting !== undefined) metric.set({ name: pool.scheduler, model_server_pod: pod.pod }, pod.waiting);
        }
      }
    },
  );
  gauge(
    'inference_pool_per_pod_in_flight_requests',
    'Requests of this gateway in flight at each pod.',
    ['name', 'model_server_pod'],
    (metric) => {
      for (const pool of pools()) {
        for (const pod of pool.pods) metric.set({ name: pool.scheduler, model_server_pod: pod.pod }, pod.inFlight);
      }
    },
  );
  gauge('bbr_open_streams', 'Requests that Envoy has open at this processor.', [], (metric) => {
    metric.set(counters().openStreams);
  });
  gauge(
    'inference_gateway_peers',
    'Picker processes of a router, or routers of a picker process, connected.',
    [],
    (metric) => {
      const connected = peers?.();
      if (connected !== undefined) metric.set(connected);
    },
  );
  gauge('bbr_buffered_body_bytes', 'Bytes of request bodies held at this moment.', [], (metric) => {
    metric.set(bufferedBytes());
  });
  new Counter({
    name: 'bbr_stream_faults_total',
    help: 'Streams that ended by a fault, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset();
      const { malformed, tooLarge, handlerErrors, budgetRefusals } = counters();
      for (const [kind, count] of Object.entries({ malformed, tooLarge, handlerErrors, budgetRefusals })) {
        this.inc({ kind }, count);
      }
    },
  });
}
