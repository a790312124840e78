import type { HeaderMap } from '../ext-proc/processor';

/** Names the model that serves; from a client, the model where the body names none. */
export const MODEL_NAME = 'x-gateway-model-name';
/** `1` from a client asks for `DECISION`. */
export const EXPLAIN = 'x-gateway-explain';
/** On responses: why this endpoint. */
export const DECISION = 'x-gateway-decision';

const NAMES = [
  'model-name',
  'base-model-name',
  'model-name-rewrite',
  'destination-endpoint',
  'destination-endpoint-subset',
  'destination-endpoint-served',
  'destination-endpoint-scores',
  'destination-endpoint-fallback',
  'default-backend',
  'inference-objective',
  'inference-fairness-id',
  'slo-ttft-ms',
  'slo-tpot-ms',
  'explain',
  'decision',
  'request-dropped-reason',
];

/**
 * Headers that choose an address, a model, a priority or a tenant, or that forge what the gateway reports: the names of
 * the gateway, their `x-llm-d-` forms, and the headers by which sidecars of llm-d are told where to forward. None that
 * a client sent goes further than the router.
 */
export const CONTROL_HEADERS: readonly string[] = [
  ...NAMES.flatMap((name) => [`x-gateway-${name}`, `x-llm-d-${name}`]),
  'x-slo-ttft-ms',
  'x-slo-tpot-ms',
  'x-prefiller-url',
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  'x-data-parallel-host-port',
];

/** The control headers that the client sent, less those that the router sets itself. */
export function sentControlHeaders(sent: HeaderMap, set: ReadonlyArray<readonly [string, string]>): string[] {
  return CONTROL_HEADERS.filter((name) => sent.has(name) && !set.some(([own]) => own === name));
}

/** Whether a name may stand in a header: printable ASCII without space at its ends, at most 253 characters. */
export function isHeaderSafe(name: string): boolean {
  return name.length <= 253 && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name);
}
