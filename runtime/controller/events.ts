import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { Problem } from '../../lib/translate/cluster/types';
import type { EventRecorder } from '../kubernetes/events';
import { type Owner, ownerOfConfig } from './owner';

/** Tells the authors of configs what became of them, by Events on the config. */
export interface GatewayEvents {
  /** All that is wrong with the gateway now. Each is told once, until it has been away. */
  problems(config: KubernetesObject, problems: readonly Problem[]): void;
  /** The config is being deleted and something must happen first. */
  waiting(config: KubernetesObject, reason: string, message: string): void;
  removed(config: KubernetesObject): void;
  /** Another controller is there. */
  stoodBack(config: KubernetesObject, message: string): void;
  /** Too little is known of the cluster to decide anything. */
  notSynced(config: KubernetesObject, kinds: readonly string[]): void;
  /** It could not be looked at to the end. */
  failed(config: KubernetesObject, message: string): void;
  /** There is no config any more. */
  forget(owner: Owner): void;
}

export function createGatewayEvents(recorder: EventRecorder): GatewayEvents {
  const told = new Map<Owner, ReadonlySet<string>>();

  function tell(config: KubernetesObject, problems: readonly Problem[]): void {
    const owner = ownerOfConfig(config);
    const former = told.get(owner);
    const present = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
    told.set(owner, new Set(present.keys()));
    for (const [key, { reason, message, blocks }] of present) {
      if (former?.has(key)) continue;
      recorder.record(config, { type: 'Warning', reason, action: blocks ? 'Translate' : 'Reconcile', note: message });
    }
  }
  const tellOne = (config: KubernetesObject, reason: string, message: string) =>
    tell(config, [{ reason, message, blocks: true }]);

  return {
    problems: tell,
    waiting: tellOne,
    removed(config) {
      const note = 'everything that was made for the gateway is removed';
      recorder.record(config, { type: 'Normal', reason: 'Removed', action: 'Remove', note });
    },
    stoodBack: (config, message) => tellOne(config, 'AnotherController', message),
    notSynced: (config, kinds) =>
      tellOne(
        config,
        'NotSynced',
        `nothing is changed before these kinds have been read: ${kinds.join(', ')}; see the controller's log, and whether its role may list and watch them`,
      ),
    failed(config, message) {
      const note = `${message}; the controller tries again`;
      recorder.record(config, { type: 'Warning', reason: 'ReconcileFailed', action: 'Reconcile', note });
    },
    forget: (owner) => void told.delete(owner),
  };
}
