import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { Problem } from '../../lib/translate/cluster/types';
import type { EventRecorder } from '../kubernetes/events';
import { type Owner, ownerOfConfig } from './owner';

/** Tells the authors of configs what became of them, by Events on the config. */
export interface GatewayEvents {
  /** All that is wrong with the gateway now. Each is told once, until it has been away. */
  problems(config: KubernetesObject, problems: readonly Problem[]): void;
  /** Nothing is done before something else has happened. */
  waiting(config: KubernetesObject, reason: string, message: string): void;
  removed(config: KubernetesObject): void;
  /** Another controller is there. */
  stoodBack(config: KubernetesObject, message: string): void;
  /** It could not be looked at to the end. */
  failed(config: KubernetesObject, message: string): void;
  /** There is no config any more. */
  forget(owner: Owner): void;
}

export function createGatewayEvents(recorder: EventRecorder): GatewayEvents {
  const told = new Map<Owner, ReadonlySet<string>>();
  /** What keeps the gateway from being looked at. Its problems are as they were. */
  const hindrances = new Map<Owner, ReadonlySet<string>>();

  function tell(config: KubernetesObject, problems: readonly Problem[], memory = told): void {
    const owner = ownerOfConfig(config);
    const former = memory.get(owner);
    const present = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
    memory.set(owner, new Set(present.keys()));
    for (const [key, { reason, message, blocks }] of present) {
      if (former?.has(key)) continue;
      recorder.record(config, { type: 'Warning', reason, action: blocks ? 'Translate' : 'Reconcile', note: message });
    }
  }
  const tellOne = (config: KubernetesObject, reason: string, message: string) =>
    tell(config, [{ reason, message, blocks: true }], hindrances);

  return {
    problems(config, problems) {
      hindrances.delete(ownerOfConfig(config));
      tell(config, problems);
    },
    waiting: tellOne,
    removed(config) {
      const note = 'everything that was made for the gateway is removed';
      recorder.record(config, { type: 'Normal', reason: 'Removed', action: 'Remove', note });
    },
    stoodBack: (config, message) => tellOne(config, 'AnotherController', message),
    failed(config, message) {
      const note = `${message}; the controller tries again`;
      recorder.record(config, { type: 'Warning', reason: 'ReconcileFailed', action: 'Reconcile', note });
    },
    forget(owner) {
      told.delete(owner);
      hindrances.delete(owner);
    },
  };
}
