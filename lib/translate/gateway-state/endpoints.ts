import { METRICS_PORT_ANNOTATION, type Pod } from '../../api/pod';
import type { CheckedObject } from '../check-objects';
import type { EndpointState } from '../gateway-state';
import { sourceLine } from '../sourced-value';
import { annotatedPort } from './annotated-port';
import { kvEventPorts } from './kv-event-ports';
import type { LabelSelector } from './label-selector';
import { podName, servingPods } from './serving-pods';

/** The endpoints of a scheduler, by name of the pod: each selected pod's primary IP and the target port. */
export function schedulerEndpoints(
  scheduler: { readonly name: string; readonly modelSelector: LabelSelector; readonly targetPort: number },
  pods: ReadonlyArray<CheckedObject<Pod>>,
): { endpoints: readonly EndpointState[]; warnings: readonly string[] } {
  const { serving, warnings: selectionWarnings } = servingPods(scheduler, pods);
  const warnings = [...selectionWarnings];
  const endpoints = serving.map(({ object: pod, at }): EndpointState => {
    const name = podName(pod);
    const ip = pod.status?.podIP ?? '';
    if (readyCondition(pod) === undefined) {
      warnings.push(`${sourceLine(at)} Pod ${name} has no Ready condition in its status: it gets no requests`);
    }
    const annotations = pod.metadata.annotations ?? {};
    const faults: string[] = [];
    const metricsPort = annotatedPort(annotations, METRICS_PORT_ANNOTATION, faults);
    const kvEvents = kvEventPorts(annotations);
    warnings.push(...[...faults, ...kvEvents.faults].map((fault) => `${sourceLine(at)} Pod ${name}: ${fault}`));
    return {
      address: ip.includes(':') ? `[${ip}]:${scheduler.targetPort}` : `${ip}:${scheduler.targetPort}`,
      pod: name,
      ...(pod.metadata.uid !== undefined && { uid: pod.metadata.uid }),
      ready: readyCondition(pod) === 'True' && pod.metadata.deletionTimestamp === undefined,
      ...(metricsPort !== undefined && { metricsPort }),
      ...kvEvents.ports,
    };
  });
  return { endpoints, warnings };
}

function readyCondition(pod: Pod): string | undefined {
  return pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
