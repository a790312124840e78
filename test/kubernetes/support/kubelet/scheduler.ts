import type { V1Pod } from '@kubernetes/client-node';
import type { Client } from '../api/client';
import type { RecordEvent } from '../api/events';

export interface NodeSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Binds pods to nodes: what nobody else schedules, to the node with the fewest of the same owner. */
export interface Scheduler {
  consider(pod: V1Pod): void;
  forget(pod: V1Pod): void;
}

export function startScheduler(client: Client, nodes: readonly NodeSpec[], event: RecordEvent): Scheduler {
  /** By pod uid. */
  const placed = new Map<string, { node: string; owner: string }>();
  const refused = new Set<string>();

  return {
    consider(pod) {
      const { uid, name, namespace } = pod.metadata!;
      const { nodeName, schedulerName } = pod.spec!;
      if (nodeName !== undefined || pod.metadata?.deletionTimestamp !== undefined || placed.has(uid!)) return;
      if (schedulerName !== 'default-scheduler' || (pod.spec?.schedulingGates ?? []).length > 0) return;
      const owner = pod.metadata?.ownerReferences?.[0]?.uid ?? uid!;
      const chosen = choose(pod, nodes, [...placed.values()], owner);
      if (typeof chosen !== 'string') {
        if (!refused.has(uid!)) event(pod, 'Warning', 'FailedScheduling', chosen.reason);
        refused.add(uid!);
        return;
      }
      placed.set(uid!, { node: chosen, owner });
      client
        .create(`/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
          metadata: { name, uid },
          target: { apiVersion: 'v1', kind: 'Node', name: chosen },
        })
        .catch(() => {
          placed.delete(uid!);
          setTimeout(() => this.consider(pod), 500).unref();
        });
    },
    forget(pod) {
      placed.delete(pod.metadata!.uid!);
      refused.delete(pod.metadata!.uid!);
    },
  };
}

/** The node's name, or why there is none. */
function choose(
  { spec }: V1Pod,
  nodes: readonly NodeSpec[],
  placed: readonly { node: string; owner: string }[],
  owner: string,
): string | { readonly reason: string } {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const required = [nodeAffinity, podAffinity, podAntiAffinity].some(
    (affinity) => affinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined,
  );
  if (required) return { reason: 'this test scheduler does not support a required affinity' };

  const wanted = Object.entries(spec?.nodeSelector ?? {});
  const fitting = nodes.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  if (fitting.length === 0) return { reason: `no node has the labels ${JSON.stringify(spec?.nodeSelector)}` };
  const load = (node: NodeSpec) => {
    const here = placed.filter((one) => one.node === node.name);
    return here.filter((one) => one.owner === owner).length * 1000 + here.length;
  };
  return fitting.reduce((best, node) => (load(node) < load(best) ? node : best)).name;
}
