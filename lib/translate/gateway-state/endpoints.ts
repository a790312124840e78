import { METRICS_PORT_ANNOTATION, type Pod } from '../../api/pod';
import type { CheckedObject } from '../check-objects';
import type { EndpointState } from '../gateway-state';
import { sourceLine } from '../sourced-value';
import { annotatedPort } from './annotated-port';
import { kvEventPorts } from './kv-event-ports';
import { type LabelSelector, selects } from './label-selector';

/** The endpoints of a scheduler, by name of the pod: each selected pod's primary IP and the target port. */
export function schedulerEndpoints(
  scheduler: { readonly name: string; readonly modelSelector: LabelSelector; readonly targetPort: number },
  pods: ReadonlyArray<CheckedObject<Pod>>,
): { endpoints: readonly EndpointState[]; warnings: readonly string[] } {
  const warnings: string[] = [];
  const byAddress = new Map<string, EndpointState>();
  const selected = pods
    .filter(({ object }) => selects(scheduler.modelSelector, object.metadata.labels ?? {}))
    .sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1));
  for (const { object: pod, at } of selected) {
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const ip = pod.status?.podIP;
    if (ip === undefined) {
      warnings.push(`${sourceLine(at)} Pod ${name} has no status.podIP yet: it gets no requests`);
      continue;
    }
    if (readyCondition(pod) === undefined) {
      warnings.push(`${sourceLine(at)} Pod ${name} has no Ready condition in its status: it gets no requests`);
    }
    const address = ip.includes(':') ? `[${ip}]:${scheduler.targetPort}` : `${ip}:${scheduler.targetPort}`;
    const other = byAddress.get(address);
    if (other !== undefined) {
      warnings.push(`${sourceLine(at)} Pod ${name} has the address ${address} of ${other.pod}: it is left out`);
      continue;
    }
    const annotations = pod.metadata.annotations ?? {};
    const faults: string[] = [];
    const metricsPort = annotatedPort(annotations, METRICS_PORT_ANNOTATION, faults);
    const kvEvents = kvEventPorts(annotations);
    warnings.push(...[...faults, ...kvEvents.faults].map((fault) => `${sourceLine(at)} Pod ${name}: ${fault}`));
    byAddress.set(address, {
      address,
      pod: name,
      ...(pod.metadata.uid !== undefined && { uid: pod.metadata.uid }),
      ready: readyCondition(pod) === 'True' && pod.metadata.deletionTimestamp === undefined,
      ...(metricsPort !== undefined && { metricsPort }),
      ...kvEvents.ports,
    });
  }
  if (selected.length === 0) warnings.push(`scheduler ${scheduler.name}: its modelSelector selects no pod`);
  return { endpoints: [...byAddress.values()], warnings };
}

function readyCondition(pod: Pod): string | undefined {
  return pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
