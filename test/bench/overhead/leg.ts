/**
 * `alone`: Envoy, round robin. `empty`: with a processor that does nothing. `gateway`: the product, with the pickers in the
 * router's process. `split`: with a picker process of its own.
 */
export type LegName = 'alone' | 'empty' | 'gateway' | 'split';

/** One way through which the same load reaches the same pods. */
export interface Leg {
  readonly name: LegName;
  /** On 127.0.0.1. */
  readonly port: number;
  /** The processes that serve requests now. Throws when one is away. */
  pids(): LegPids;
  /** Address of the processor's Prometheus page. */
  metricsUrl?(): string | undefined;
  close(): Promise<void>;
}

interface LegPids {
  readonly envoy: number;
  readonly processor?: number;
  readonly picker?: number;
}

/** What a leg is made with. */
export interface LegOptions {
  readonly envoyBinary: string;
  /** Exists and is empty. */
  readonly folder: string;
  readonly model: string;
  /** IP addresses. */
  readonly pods: readonly string[];
  readonly podPort: number;
}
