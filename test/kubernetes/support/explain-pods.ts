import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import type { Client } from './api/client';
import type { Kubelet } from './kubelet/kubelet';

/** More would hide the rest. */
const SHOWN = 5;

/** What became of the pods that are not ready: state, events and the ends of their logs. */
export async function explainPods(client: Client, kubelet: Kubelet, pods: readonly V1Pod[]): Promise<string> {
  const unready = pods.filter(({ status }) => !status?.conditions?.some(isReady));
  if (unready.length === 0) return `All ${pods.length} pods are ready.`;
  const events = await client
    .get<{ items: CoreV1Event[] }>('/api/v1/events')
    .then(({ items }) => items)
    .catch(() => []);
  const parts = unready.slice(0, SHOWN).map((pod) => explain(pod, events, kubelet));
  return [`${unready.length} of ${pods.length} pods are not ready:`, ...parts].join('\n');
}

const isReady = ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True';

function explain({ metadata, spec, status }: V1Pod, events: readonly CoreV1Event[], kubelet: Kubelet): string {
  const [namespace, name] = [metadata!.namespace!, metadata!.name!];
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
    (one) => `  ${one.name}: ${JSON.stringify(one.state)}, ${one.restartCount} restarts`,
  );
  const own = events
    .filter(({ involvedObject }) => involvedObject.uid === metadata!.uid)
    .slice(-8)
    .map(({ reason, message }) => `  event ${reason}: ${message}`);
  const logs = [...(spec?.initContainers ?? []), ...spec!.containers].flatMap((container) => {
    const tail = kubelet.logTail(namespace, name, container.name, 15);
    return tail === '' ? [] : [`  log of ${container.name}:`, tail.replace(/^/gm, '    ')];
  });
  return [`Pod ${namespace}/${name} (${status?.phase}):`, ...states, ...own, ...logs].join('\n');
}
