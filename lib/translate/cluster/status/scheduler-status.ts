import type { GatewayStatus } from '../../../api/inference-gateway-config/status';
import { propertyAt } from '../../../api/validation/loose';
import { selectorTest } from '../../gateway-state/label-selector';
import type { Scheduler } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { SCHEDULER_LABEL } from '../names';
import type { Problem } from '../types';
import type { Attachment } from './attachment';
import { conditionIn, conditionsOf, type Finding } from './conditions';
import { deploymentState } from './deployment-state';
import type { Observed } from './observed';
import { isReadyPod } from './ready-pod';

type SchedulerStatus = NonNullable<GatewayStatus['schedulers']>[number];

interface Facts {
  readonly scheduler: Scheduler;
  readonly problems: readonly Problem[];
  /** Name of the picker Deployment of the present spec; undefined where it has none. */
  readonly wanted: string | undefined;
  readonly observed: Observed;
  readonly attachments: readonly Attachment[];
}

export interface SchedulerReport {
  readonly status: SchedulerStatus;
  readonly ready: Finding;
  readonly accepted: Finding;
}

/** What a scheduler is like. `former`: its former status. */
export function schedulerReport(
  facts: Facts,
  former: unknown,
  generation: number | undefined,
  now: string,
): SchedulerReport {
  const { scheduler } = facts;
  const accepted = problemFinding(facts, 'Accepted', { reason: 'Accepted', message: 'It is set up as it says.' });
  const parts: Record<string, Finding> = {
    Accepted: accepted,
    RouteProgrammed: routeFinding(facts),
    PickersReady: pickersFinding(facts),
    PodsReady: podsFinding(facts),
  };
  const ready = readyFinding(facts, parts);
  return {
    ready,
    accepted,
    status: {
      name: scheduler.name,
      conditions: conditionsOf({ ...parts, Ready: ready }, propertyAt(former, 'conditions'), generation, now),
      currentScheduler: scheduler.scheduler,
      rolloutState: rolloutState(facts),
    },
  };
}

function problemFinding(
  { problems, scheduler }: Facts,
  condition: NonNullable<Problem['condition']>,
  otherwise: Omit<Finding, 'holds'>,
): Finding {
  const own = problems.filter((problem) => problem.condition === condition && problem.scheduler === scheduler.name);
  const [first] = own;
  if (first === undefined) return { holds: true, ...otherwise };
  return { holds: false, reason: first.reason, message: own.map(({ message }) => message).join('; ') };
}

function ofScheduler(objects: readonly KubernetesObject[], { scheduler }: Facts): readonly KubernetesObject[] {
  return objects.filter(({ metadata }) => metadata.labels?.[SCHEDULER_LABEL] === scheduler.name);
}

function routeFinding({ attachments, scheduler }: Facts): Finding {
  const routes = attachments.filter((one) => one.kind === 'HTTPRoute' && one.scheduler === scheduler.name);
  if (routes.length === 0) return { holds: false, reason: 'Pending', message: 'Its HTTPRoute is not there yet.' };
  const refused = routes.find(({ verdict }) => verdict === 'refused');
  if (refused !== undefined) return { holds: false, reason: 'RouteNotAccepted', message: refused.message };
  const waiting = routes.find(({ verdict }) => verdict !== 'accepted');
  return waiting === undefined
    ? { holds: true, reason: 'Programmed', message: 'Requests for its model reach its pods.' }
    : { holds: false, reason: 'Pending', message: waiting.message };
}

function pickersFinding(facts: Facts): Finding {
  const states = ofScheduler(facts.observed.pickers, facts).map(deploymentState);
  const available = states.reduce((sum, state) => sum + state.available, 0);
  const message = `${available} of ${facts.scheduler.replicas} pickers are available`;
  if (available > 0) return { holds: true, reason: 'Available', message: `${message}.` };
  const failure = states.find((state) => state.failure !== undefined)?.failure;
  return {
    holds: false,
    reason: 'Unavailable',
    message: failure === undefined ? `${message}.` : `${message}: ${failure}`,
  };
}

function podsFinding({ scheduler, observed }: Facts): Finding {
  const isSelected = selectorTest(scheduler.modelSelector);
  const selected = observed.pods
    .filter(({ metadata }) => isSelected(metadata.labels ?? {}))
    .filter(({ status }) => !['Succeeded', 'Failed'].includes(String(propertyAt(status, 'phase'))));
  if (selected.length === 0) {
    return {
      holds: false,
      reason: 'NoPodsSelected',
      message: 'Its modelSelector selects no pod of the namespace: start its pods, or correct the selector.',
    };
  }
  const ready = selected.filter(isReadyPod).length;
  return {
    holds: ready > 0,
    reason: ready > 0 ? 'PodsReady' : 'NoPodsReady',
    message: `${ready} of ${selected.length} pods are ready.`,
  };
}

/** One that has pickers of its present spec serves, though an object that it reads, or a name, may have been left out. */
function readyFinding(facts: Facts, { Accepted, ...parts }: Readonly<Record<string, Finding>>): Finding {
  const own = problemFinding(facts, 'Ready', { reason: 'Ready', message: 'It serves its model.' });
  const needed = facts.wanted === undefined && Accepted !== undefined ? [Accepted] : [];
  return [own, ...needed, ...Object.values(parts)].find(({ holds }) => !holds) ?? own;
}

/**
 * Pending: nothing of the present spec is there. Progressing: it comes, and what was before serves meanwhile.
 * Available: it is all there, and nothing else. Degraded: it gets no further, or has lost pods that it had.
 */
function rolloutState(facts: Facts): NonNullable<SchedulerStatus['rolloutState']> {
  const pickers = ofScheduler(facts.observed.pickers, facts);
  const current = pickers.find(({ metadata }) => metadata.name === facts.wanted);
  if (current === undefined) return 'Pending';
  const state = deploymentState(current);
  if (state.failure !== undefined) return 'Degraded';
  if (state.isRolledOut) return pickers.length === 1 ? 'Available' : 'Progressing';
  const progress = conditionIn(propertyAt(current.status, 'conditions'), 'Progressing');
  return progress?.reason === 'NewReplicaSetAvailable' ? 'Degraded' : 'Progressing';
}
