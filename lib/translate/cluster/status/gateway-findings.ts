import { items, propertyAt, textOf } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { SCHEDULER_LABEL } from '../names';
import type { Problem } from '../types';
import { refusedAttachment } from './attachment';
import { conditionIn, type Finding } from './conditions';
import { deploymentState, refusalOf } from './deployment-state';
import type { Observed } from './observed';
import type { SchedulerReport } from './scheduler-status';

/** What stands in the way of a condition of the whole gateway. */
function problemOf(problems: readonly Problem[], condition: Problem['condition']): Finding | undefined {
  const own = problems.filter((problem) => problem.condition === condition && problem.scheduler === undefined);
  const [first] = own;
  if (first === undefined) return undefined;
  return { holds: false, reason: first.reason, message: own.map(({ message }) => message).join('; ') };
}

export function acceptedFinding(problems: readonly Problem[], schedulers: readonly SchedulerReport[]): Finding {
  const refused = schedulers.filter(({ accepted }) => !accepted.holds);
  return (
    problemOf(problems, 'Accepted') ??
    (refused.length === 0
      ? { holds: true, reason: 'Accepted', message: 'The configuration is valid.' }
      : { holds: true, reason: 'PartlyAccepted', message: ofSchedulers(refused, ({ accepted }) => accepted) })
  );
}

/** Listener conditions that must hold. */
const LISTENER_CONDITIONS = ['Accepted', 'ResolvedRefs', 'Programmed'];

export function programmedFinding(problems: readonly Problem[], { gateway, attached }: Observed): Finding {
  const problem = problemOf(problems, 'GatewayProgrammed');
  if (problem !== undefined) return problem;
  if (gateway === undefined) return { holds: false, reason: 'Pending', message: 'The Gateway is not there yet.' };
  const refusal = attached
    .filter(({ metadata }) => metadata.labels?.[SCHEDULER_LABEL] === undefined)
    .map(refusedAttachment)
    .find((text) => text !== undefined);
  return (
    listenerFault(gateway) ??
    failed(gateway, 'Accepted') ??
    failed(gateway, 'Programmed') ??
    (refusal !== undefined
      ? { holds: false, reason: 'PolicyNotAccepted', message: refusal }
      : { holds: true, reason: 'Programmed', message: 'Envoys serve the configuration.' })
  );
}

/** Undefined where the condition holds for the present spec. */
function failed({ metadata, status }: KubernetesObject, type: string): Finding | undefined {
  const conditions = propertyAt(status, 'conditions');
  const condition = conditionIn(conditions, type);
  const seen = Number(
    propertyAt(
      items(conditions).find((one) => propertyAt(one, 'type') === type),
      'observedGeneration',
    ) ?? 0,
  );
  if (condition?.status === 'True' && seen >= (metadata.generation ?? 0)) return undefined;
  if (condition === undefined || condition.status !== 'False') {
    return { holds: false, reason: 'Pending', message: 'Envoy Gateway has not served the present configuration yet.' };
  }
  return { holds: false, reason: condition.reason ?? type, message: condition.message ?? `${type} is false.` };
}

function listenerFault({ status }: KubernetesObject): Finding | undefined {
  for (const listener of items(propertyAt(status, 'listeners'))) {
    for (const type of LISTENER_CONDITIONS) {
      const condition = conditionIn(propertyAt(listener, 'conditions'), type);
      if (condition?.status !== 'False') continue;
      const name = textOf(propertyAt(listener, 'name'));
      return {
        holds: false,
        reason: condition.reason ?? type,
        message: `listener ${name}: ${condition.message ?? `${type} is false`}`,
      };
    }
  }
  return undefined;
}

export function routersFinding(problems: readonly Problem[], { router }: Observed): Finding {
  const problem = problemOf(problems, 'BBRReady');
  if (problem !== undefined) return problem;
  if (router === undefined) return { holds: false, reason: 'Pending', message: 'The routers are not there yet.' };
  const { available, wanted, failure } = deploymentState(router);
  const message = `${available} of ${wanted} routers are available`;
  return {
    holds: available > 0,
    reason: available >= wanted ? 'Available' : available > 0 ? 'Degraded' : 'Unavailable',
    message: failure === undefined ? `${message}.` : `${message}: ${failure}`,
  };
}

/** Reasons of problems by which the API server, or a policy of it, refuses what the gateway needs. */
const REFUSALS: readonly string[] = ['Forbidden', 'Refused'];

export function admissionFinding(problems: readonly Problem[], observed: Observed): Finding {
  const { envoys, router, pickers } = observed;
  const refused = [
    ...[...envoys, ...(router === undefined ? [] : [router]), ...pickers].flatMap((one) => refusalOf(one) ?? []),
    ...problems.filter(({ reason }) => REFUSALS.includes(reason)).map(({ message }) => message),
  ];
  return refused.length > 0
    ? { holds: true, reason: 'Refused', message: refused.join('; ') }
    : { holds: false, reason: 'NothingRefused', message: 'The API server takes everything that the gateway needs.' };
}

/** Ready as long as there is a model that it serves; the others are named. */
export function readyFinding(
  problems: readonly Problem[],
  parts: readonly Finding[],
  schedulers: readonly SchedulerReport[],
): Finding {
  const failure = problemOf(problems, 'Ready') ?? parts.find(({ holds }) => !holds);
  if (failure !== undefined) return failure;
  const waiting = schedulers.filter(({ ready }) => !ready.holds);
  if (waiting.length === 0) return { holds: true, reason: 'Ready', message: 'Every model is served.' };
  const message = ofSchedulers(waiting, ({ ready }) => ready);
  return waiting.length === schedulers.length
    ? { holds: false, reason: 'NoSchedulerReady', message }
    : { holds: true, reason: 'SomeSchedulersNotReady', message };
}

function ofSchedulers(reports: readonly SchedulerReport[], finding: (report: SchedulerReport) => Finding): string {
  return reports.map((report) => `scheduler ${report.status.name}: ${finding(report).message}`).join('; ');
}
