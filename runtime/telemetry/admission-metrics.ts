import { Gauge, Histogram, type Registry } from 'prom-client';
import { BANDS } from '../../lib/translate/gateway-state';
import type { AdmissionObserver } from '../endpoint-picker/admission/observe';
import type { WaitingStatus } from '../endpoint-picker/admission/waiting-room';
import type { NamedSeries } from './named-series';

/** Seconds; a wait is bounded by the time-to-live of a band. */
const WAIT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** GIE's flow control metrics; `priority` is the band, and tenants are no label: clients name them. */
export function registerAdmissionMetrics(
  registry: Registry,
  series: NamedSeries,
  waiting: () => readonly WaitingStatus[],
): Pick<AdmissionObserver, 'left'> {
  const queueSeconds = new Histogram({
    name: 'inference_extension_flow_control_request_queue_duration_seconds',
    help: 'How long requests were held in the gateway, by what became of them.',
    labelNames: ['inference_pool', 'priority', 'outcome'],
    buckets: WAIT_BUCKETS,
    registers: [registry],
  });
  const queued = series.of(queueSeconds);
  const gauge = (name: string, help: string, of: (band: { requests: number; bytes: number }) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['inference_pool', 'priority'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { scheduler, bands } of waiting()) {
          for (const band of BANDS) this.set({ inference_pool: scheduler, priority: band }, of(bands[band]));
        }
      },
    });
  gauge('inference_extension_flow_control_queue_size', 'Requests that are held now.', ({ requests }) => requests);
  gauge(
    'inference_extension_flow_control_queue_bytes',
    'Bytes of the requests that are held now.',
    ({ bytes }) => bytes,
  );
  return {
    left: (scheduler, band, outcome, waitedMs) =>
      queueSeconds.observe(queued({ inference_pool: scheduler, priority: band, outcome }), waitedMs / 1000),
  };
}
