import type { InferenceGatewayConfig } from '../../../api/inference-gateway-config/inference-gateway-config';
import { items, propertyAt, textOf } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import type { Problem } from '../types';
import type { Attachment } from './attachment';
import { type ClientCertificateFacts, certificateFinding, issuancePending } from './client-certificate';
import { conditionIn, type Finding } from './conditions';
import { deploymentState, refusalOf } from './deployment-state';
import { loadBalancerFinding } from './load-balancer-finding';
import type { Observed } from './observed';
import type { SchedulerReport } from './scheduler-status';

/** What stands in the way of a condition of the whole gateway. */
function problemOf(problems: readonly Problem[], condition: Problem['condition']): Finding | undefined {
  const own = problems.filter((problem) => problem.condition === condition && problem.scheduler === undefined);
  const [first, ...others] = own.filter(({ warns }) => !warns);
  if (first === undefined) return undefined;
  return { holds: false, reason: first.reason, message: [first, ...others].map(({ message }) => message).join('; ') };
}

/** With what its author should know all the same. */
function withWarnings(finding: Finding, problems: readonly Problem[], condition: Problem['condition']): Finding {
  const warnings = problems.filter((problem) => problem.condition === condition && problem.warns);
  if (warnings.length === 0) return finding;
  const texts = warnings.map(({ message }) => message).join('; ');
  return { ...finding, message: `${finding.message.replace(/\.?$/, '.')} Warning: ${texts}.` };
}

export function acceptedFinding(problems: readonly Problem[], schedulers: readonly SchedulerReport[]): Finding {
  const refused = schedulers.filter(({ accepted }) => !accepted.holds);
  const finding: Finding =
    refused.length === 0
      ? { holds: true, reason: 'Accepted', message: 'The configuration is valid.' }
      : { holds: true, reason: 'PartlyAccepted', message: ofSchedulers(refused, ({ accepted }) => accepted) };
  return withWarnings(problemOf(problems, 'Accepted') ?? finding, problems, 'Accepted');
}

/** Listener conditions that must hold. */
const LISTENER_CONDITIONS = ['Accepted', 'ResolvedRefs', 'Programmed'];

export function programmedFinding(
  problems: readonly Problem[],
  config: InferenceGatewayConfig | undefined,
  observed: Observed,
  attachments: readonly Attachment[],
  certificate: ClientCertificateFacts | undefined,
): Finding {
  const served = servedFinding(config, observed, attachments, certificate);
  const finding = problemOf(problems, 'GatewayProgrammed') ?? served;
  const pending = certificate === undefined ? [] : issuancePending(certificate);
  return withWarnings(finding, [...problems, ...pending], 'GatewayProgrammed');
}

function servedFinding(
  config: InferenceGatewayConfig | undefined,
  observed: Observed,
  attachments: readonly Attachment[],
  certificate: ClientCertificateFacts | undefined,
): Finding {
  const { gateway } = observed;
  if (gateway === undefined) return { holds: false, reason: 'Pending', message: 'The Gateway is not there yet.' };
  return (
    (certificate && certificateFinding(certificate)) ??
    listenerFault(gateway) ??
    failed(gateway, 'Accepted') ??
    (config && loadBalancerFinding(config, observed)) ??
    failed(gateway, 'Programmed') ??
    notAttached(attachments) ?? { holds: true, reason: 'Programmed', message: 'Envoys serve the configuration.' }
  );
}

/**
 * A route or a policy without which Envoys do not serve the configuration. Of a scheduler's route only that it waits: when it
 * cannot be made, or is refused, that model alone is not served.
 */
function notAttached(attachments: readonly Attachment[]): Finding | undefined {
  const own = attachments.filter(({ scheduler }) => scheduler === undefined);
  const refused = own.find(({ verdict }) => verdict === 'refused');
  if (refused !== undefined) return { holds: false, reason: 'PolicyNotAccepted', message: refused.message };
  const waiting =
    own.find(({ verdict }) => verdict === 'missing') ?? attachments.find(({ verdict }) => verdict === 'pending');
  return waiting && { holds: false, reason: 'Pending', message: waiting.message };
}

/** Undefined where the condition holds for the present spec. */
function failed({ metadata, status }: KubernetesObject, type: string): Finding | undefined {
  const condition = conditionIn(propertyAt(status, 'conditions'), type);
  const isPresent = condition !== undefined && condition.observedGeneration >= (metadata.generation ?? 0);
  if (condition?.status === 'True' && isPresent) return undefined;
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
