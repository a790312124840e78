import { Counter, Gauge, type Registry } from 'prom-client';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { WaitingStatus } from '../endpoint-picker/admission/waiting-room';
import { EXCLUSION_REASONS } from '../endpoint-picker/health/endpoint-health';
import type { PodStatus, PoolStatus } from '../endpoint-picker/status';
import type { ExtProcCounters } from '../ext-proc/counters';
import type { SourceStatus } from '../objects/object-source';

/** What is read when a page is asked for, so that it costs nothing on the path of a request. */
export interface RouterReadings {
  /** In force now: series that carry names which it has not are left out. */
  state(): GatewayState;
  pools(): readonly PoolStatus[];
  waiting(): readonly WaitingStatus[];
  readonly counters: () => Readonly<ExtProcCounters>;
  bufferedBytes(): number;
  /** Of a router, the picker processes that it is connected to; of a picker process, the routers. Absent: neither is. */
  peers?(): number | undefined;
  /** Absent where the objects are not those of a cluster. */
  source?(): SourceStatus | undefined;
}

/** Series whose values are read with the page: the state of pools, pods and streams. */
export function registerReadings(
  registry: Registry,
  { pools, counters, bufferedBytes, peers, source }: RouterReadings,
): void {
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
  gauge(
    'inference_gateway_objects_silence_seconds',
    'Since the Kubernetes API last said something of the kind that it has been silent about for longest.',
    [],
    (metric) => {
      const status = source?.();
      if (status !== undefined) metric.set(status.silentMs / 1000);
    },
  );
  gauge(
    'inference_gateway_objects_remembered',
    '1 while the objects in force are those of the last run, for the Kubernetes API has not answered since.',
    [],
    (metric) => {
      const status = source?.();
      if (status !== undefined) metric.set(Number(status.isRemembered));
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
