import { HEAP_ACTIONS, HEAP_LOADSHED_POINTS, TRACKED_ACCOUNT_POWER } from '../../envoy/overload';

/** Envoy Gateway writes its own bootstrap; this is what it lacks. Values are replaced where they are there already. */
export function bootstrapPatches() {
  const add = (path: string, value: unknown) => ({ op: 'add', path, value });
  return [
    // Without it Envoy resets each ext_proc stream at its end, which HTTP/2 servers take for an attack.
    add('/layered_runtime/layers/0/static_layer/envoy.reloadable_features.ext_proc_graceful_grpc_close', true),
    add('/overload_manager/refresh_interval', '0.1s'),
    add('/overload_manager/buffer_factory_config', {
      minimum_account_to_track_power_of_two: TRACKED_ACCOUNT_POWER,
    }),
    add('/overload_manager/actions', HEAP_ACTIONS),
    add('/overload_manager/loadshed_points', HEAP_LOADSHED_POINTS),
  ];
}
