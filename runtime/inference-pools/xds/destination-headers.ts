/**
 * Request headers by which a picker says where a request goes, and those by which sidecars of llm-d are told where to
 * forward. They are obeyed, so no client may send them; a route without a picker obeys them too.
 */
export const DESTINATION_HEADERS: readonly string[] = [
  ...['x-gateway-', 'x-llm-d-'].flatMap((prefix) =>
    ['', '-subset', '-served', '-scores', '-fallback'].map((ending) => `${prefix}destination-endpoint${ending}`),
  ),
  'x-prefiller-url',
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  'x-data-parallel-host-port',
];

/** Namespaces of dynamic metadata of the picker protocol. */
export const LB_METADATA = 'envoy.lb';
export const SUBSET_METADATA = 'envoy.lb.subset_hint';
