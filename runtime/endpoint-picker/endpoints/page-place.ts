import type { EngineType } from '../../../lib/translate/gateway-state';
import type { ScrapeTarget } from '../metrics-source';

/** Where an engine serves its metrics page, if not as the others do: at `/metrics` of the port that serves requests. */
const PLACES: Readonly<Partial<Record<EngineType, { readonly port?: number; readonly path?: string }>>> = {
  // What trtllm-serve has at /metrics are statistics of single steps, as JSON, each told once.
  trtllm: { path: '/prometheus/metrics' },
  // The default of Triton's --metrics-port.
  triton: { port: 8002 },
};

export interface PagePlace {
  /** `ip:port`. */
  readonly address: string;
  readonly path: string;
}

/** Where the target's metrics page is. */
export function pagePlace({
  address,
  engine,
  metricsPort,
}: Pick<ScrapeTarget, 'address' | 'engine' | 'metricsPort'>): PagePlace {
  const { port, path = '/metrics' } = PLACES[engine] ?? {};
  const own = metricsPort ?? port;
  return { address: own === undefined ? address : address.replace(/:\d+$/, `:${own}`), path };
}
