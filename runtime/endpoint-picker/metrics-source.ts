import type { EngineType } from '../../lib/translate/gateway-state';
import type { EngineMetrics } from './engine-metrics';
import type { ScrapeOutcome } from './observe';

/** Where the picker gets its endpoints' metrics from: the scraper, or a simulated fleet. */
export interface MetricsSource {
  /** Reads the target's metrics again and again until the watch is stopped. */
  watch(target: ScrapeTarget): MetricsWatch;
  /** Stops every watch and closes its connections. */
  close(): Promise<void>;
}

export interface ScrapeTarget {
  /** `ip:port`. */
  readonly address: string;
  readonly pod: string;
  readonly scheduler: string;
  readonly engine: EngineType;
  /** At the same IP; absent: where the engine has it. */
  readonly metricsPort?: number;
  /** The picker has requests in flight there: read it at the short interval. */
  busy(): boolean;
  /** A scrape leaves now: what is dispatched from here on is not in its answer. */
  sent(): void;
  /** The answer to the last `sent`. `no-metrics`: the server answers, but has no metrics page. */
  answered(metrics: EngineMetrics | 'no-metrics'): void;
  /** The last `sent` brought no answer, or one that cannot be read. */
  failed(how: Exclude<ScrapeOutcome, 'ok' | 'no-metrics'>): void;
  /** Milliseconds between two scrapes from now on. Told first when the watch begins. */
  paced(intervalMs: number): void;
}

export interface MetricsWatch {
  /** The endpoint has just got work: the next scrape is due within the short interval. */
  wake(): void;
  stop(): void;
}
