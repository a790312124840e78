import type { V1Pod } from '@kubernetes/client-node';
import type { Client } from './client';

/** Records events on pods, as a kubelet does. What cannot be recorded is let go. */
export type RecordEvent = (pod: V1Pod, type: 'Normal' | 'Warning', reason: string, message: string) => void;

export function eventRecorder(client: Client, component: string): RecordEvent {
  return (pod, type, reason, message) => {
    const { name, namespace, uid } = pod.metadata!;
    const now = new Date().toISOString();
    const event = {
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      ...{ type, reason, message, count: 1, firstTimestamp: now, lastTimestamp: now, source: { component } },
    };
    client.create(`/api/v1/namespaces/${namespace}/events`, event).catch(() => {});
  };
}
