import { KV_EVENTS_PORT_ANNOTATION, KV_REPLAY_PORT_ANNOTATION } from '../../api/pod';
import type { EndpointState } from '../gateway-state';
import { annotatedPort } from './annotated-port';

type Ports = Pick<EndpointState, 'kvEventsPort' | 'kvReplayPort'>;

/** The ports that a pod's annotations name, and a line for each annotation that cannot be used. */
export function kvEventPorts(annotations: Readonly<Record<string, string>>): {
  readonly ports: Ports;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const kvEventsPort = annotatedPort(annotations, KV_EVENTS_PORT_ANNOTATION, faults);
  const kvReplayPort = annotatedPort(annotations, KV_REPLAY_PORT_ANNOTATION, faults);
  if (kvEventsPort === undefined) {
    if (kvReplayPort !== undefined) {
      faults.push(`annotation ${KV_REPLAY_PORT_ANNOTATION} has no effect without ${KV_EVENTS_PORT_ANNOTATION}`);
    }
    return { ports: {}, faults };
  }
  return { ports: { kvEventsPort, ...(kvReplayPort !== undefined && { kvReplayPort }) }, faults };
}
