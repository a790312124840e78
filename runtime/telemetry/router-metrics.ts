import { Counter, Histogram, Registry } from 'prom-client';
import type { BodyRouterObserver } from '../body-router/observer';
import type { AdmissionObserver } from '../endpoint-picker/admission/observe';
import type { Refusal } from '../endpoint-picker/endpoint-picker';
import type { KvEventsObserver } from '../endpoint-picker/kv-events/observe';
import type { PickerObserver } from '../endpoint-picker/observe';
import type { EndedDecision } from '../explain/explaining-picker';
import { registerAdmissionMetrics } from './admission-metrics';
import { configuredNames } from './configured-names';
import { labelLimit } from './label-limit';
import { NamedSeries } from './named-series';
import { type RouterReadings, registerReadings } from './router-readings';
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

/** Seconds; most decisions take tens of microseconds. */
const DECISION_BUCKETS = [1e-5, 2e-5, 3e-5, 4e-5, 5e-5, 7.5e-5, 1e-4, 1.5e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1e-1];
const ROUTING_BUCKETS = [5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 1e-1, 0.25, 0.5, 1];
const SIZE_BUCKETS = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28];

/** Models, adapters and rewrites that have series of their own at one time. */
const MAX_NAMES = 1000;

/**
 * Metrics of the Body-Based Router and the Endpoint Pickers, in the inference extension's names where it has one.
 * Every label value comes from the configuration, with which it leaves too, or from a closed set.
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
  const series = new NamedSeries();
  const { left } = registerAdmissionMetrics(registry, series, () => readings.waiting());
  const limit = labelLimit(MAX_NAMES);
  const limited = limit.of;
  const of = {
    requests: series.of(requests),
    sizes: series.of(sizes),
    rewrites: series.of(rewrites),
    elsewhere: series.of(elsewhere),
    retries: series.of(retries),
    scrapes: series.of(scrapes),
    kvEvents: series.of(kvEvents),
    tokenizing: series.of(tokenizing),
  };

  function forgetGone(): void {
    const names = configuredNames(readings.state());
    series.keep(names);
    limit.keep(names.models);
    for (const scheduler of refusedPicks.keys()) if (!names.pools.has(scheduler)) refusedPicks.delete(scheduler);
  }

  function refused(scheduler: string, kind: Refusal | 'no-answer'): void {
    const counts = refusedPicks.get(scheduler) ?? new Map<Refusal | 'no-answer', number>();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    refusedPicks.set(scheduler, counts);
  }

  return {
    decided: createTtftMetrics(registry, series, limited),
    router: {
      requestRouted({ model, bodyBytes, decisionMs, rewrite }) {
        const target = limited(model);
        const asked = rewrite === undefined ? target : limited(rewrite.from);
        requests.inc(of.requests({ model_name: asked, target_model_name: target }));
        sizes.observe(of.sizes({ target_model_name: target }), bodyBytes);
        routing.observe(decisionMs / 1000);
        if (rewrite === undefined) return;
        rewrites.inc(
          of.rewrites({ model_rewrite_name: limited(rewrite.name), model_name: asked, target_model: target }),
        );
      },
      requestRefused: (refusal) => refusals.inc({ error_code: refusal }),
      requestDefaulted: () => defaulted.inc(),
      requestAnswered: (endpoint) => answered.inc({ endpoint }),
    },
    kvEvents: {
      kvEvents: (scheduler, kind) => kvEvents.inc(of.kvEvents({ inference_pool: scheduler, kind })),
      tokenized: (scheduler, outcome, milliseconds) =>
        tokenizing.observe(of.tokenizing({ inference_pool: scheduler, outcome }), milliseconds / 1000),
    },
    picker: {
      picked: (_scheduler, _pod, microseconds) => decisions.observe(microseconds / 1e6),
      refused,
      servedElsewhere: (scheduler, kind) => elsewhere.inc(of.elsewhere({ inference_pool: scheduler, kind })),
      retried: (scheduler, attempts) => retries.inc(of.retries({ inference_pool: scheduler }), attempts),
      scraped: (scheduler, outcome, milliseconds) =>
        scrapes.observe(of.scrapes({ inference_pool: scheduler, outcome }), milliseconds / 1000),
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
      forgetGone();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
