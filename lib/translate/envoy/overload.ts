/* What Envoy does as its heap fills. Bodies wait in its memory for the processor. */

const HEAP_MONITOR = 'envoy.resource_monitors.fixed_heap';

/** Streams that hold 2^20 bytes and more are told apart, so that the largest are ended first. */
export const TRACKED_ACCOUNT_POWER = 20;

/** From 80 % new requests get 503; near the bound the uploads that hold most are cut. */
export const HEAP_ACTIONS = [
  heapAction('envoy.overload_actions.shrink_heap', { threshold: { value: 0.75 } }),
  heapAction('envoy.overload_actions.stop_accepting_requests', { threshold: { value: 0.8 } }),
  heapAction('envoy.overload_actions.reset_high_memory_stream', {
    scaled: { scaling_threshold: 0.9, saturation_threshold: 1 },
  }),
] as const;

/** That resets HTTP/2 streams only; an HTTP/1.1 upload admitted earlier ends here. */
export const HEAP_LOADSHED_POINTS = [
  heapAction('envoy.load_shed_points.http1_server_abort_dispatch', { threshold: { value: 1 } }),
] as const;

/** Bytes are of the whole process. */
export function heapMonitor(maxHeapBytes: number) {
  return {
    name: HEAP_MONITOR,
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig',
      max_heap_size_bytes: maxHeapBytes,
    },
  };
}

type Trigger =
  | { readonly threshold: { readonly value: number } }
  | { readonly scaled: { readonly scaling_threshold: number; readonly saturation_threshold: number } };

function heapAction(name: string, trigger: Trigger) {
  return { name, triggers: [{ name: HEAP_MONITOR, ...trigger }] };
}
