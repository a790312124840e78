import { KV_EVENTS_PORT_ANNOTATION, KV_REPLAY_PORT_ANNOTATION } from '../../api/pod';
import type { EndpointState } from '../gateway-state';

type Ports = Pick<EndpointState, 'kvEventsPort' | 'kvReplayPort'>;

/** The ports that a pod's annotations name, and a line for each annotation that cannot be used. */
export function kvEventPorts(annotations: Readonly<Record<string, string>>): {
  readonly ports: Ports;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];

  function port(annotation: string): number | undefined {
    const value = annotations[annotation];
    if (value === undefined) return undefined;
    const number = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : Number.NaN;
    if (number <= 65_535) return number;
    faults.push(`annotation ${annotation}: expected a port, "1" to "65535": it is passed over`);
    return undefined;
  }

  const kvEventsPort = port(KV_EVENTS_PORT_ANNOTATION);
  const kvReplayPort = port(KV_REPLAY_PORT_ANNOTATION);
  if (kvEventsPort === undefined) {
    if (kvReplayPort !== undefined) {
      faults.push(`annotation ${KV_REPLAY_PORT_ANNOTATION} has no effect without ${KV_EVENTS_PORT_ANNOTATION}`);
    }
    return { ports: {}, faults };
  }
  return { ports: { kvEventsPort, ...(kvReplayPort !== undefined && { kvReplayPort }) }, faults };
}
