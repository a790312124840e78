import type { InferenceGatewayConfig } from '../../../api/inference-gateway-config/inference-gateway-config';
import type { GatewayStatus } from '../../../api/inference-gateway-config/status';
import { items, propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import type { Installation, Translation } from '../types';
import { attachmentsOf, judgeOf } from './attachment';
import { clientCertificateFacts } from './client-certificate';
import { conditionsOf } from './conditions';
import { acceptedFinding, admissionFinding, programmedFinding, readyFinding, routersFinding } from './gateway-findings';
import type { Observed } from './observed';
import { schedulerReport } from './scheduler-status';

interface StatusFacts {
  /** The InferenceGatewayConfig as read, with its former status. */
  readonly object: KubernetesObject;
  /** The same with its defaults; undefined where it is not valid, and its schedulers' status is left as it was. */
  readonly config: InferenceGatewayConfig | undefined;
  readonly installation: Installation;
  readonly translation: Translation;
  readonly observed: Observed;
  /** RFC 3339. */
  readonly now: string;
}

/** `status` of an InferenceGatewayConfig. */
export function gatewayStatus({
  object,
  config,
  installation,
  translation,
  observed,
  now,
}: StatusFacts): GatewayStatus {
  const { objects, problems, pickerDeployments } = translation;
  const { generation } = object.metadata;
  const former = propertyAt(object, 'status');
  const formerOf = (name: string) =>
    items(propertyAt(former, 'schedulers')).find((one) => propertyAt(one, 'name') === name);
  const attachments = attachmentsOf(objects, observed.attached, judgeOf(object, installation));
  const reports = (config?.spec.schedulers ?? []).map((scheduler) => {
    const facts = { scheduler, problems, wanted: pickerDeployments.get(scheduler.name), observed, attachments };
    return schedulerReport(facts, formerOf(scheduler.name), generation, now);
  });

  const clientCertificate = clientCertificateFacts(object, objects, observed, now);
  const Accepted = acceptedFinding(problems, reports);
  const GatewayProgrammed = programmedFinding(problems, config, observed, attachments, clientCertificate);
  const BBRReady = routersFinding(problems, observed);
  const Ready = readyFinding(problems, [Accepted, GatewayProgrammed, BBRReady], reports);
  const AdmissionBlocked = admissionFinding(problems, observed);
  const findings = { Accepted, Ready, GatewayProgrammed, BBRReady, AdmissionBlocked };
  const schedulers =
    config === undefined ? (propertyAt(former, 'schedulers') as GatewayStatus['schedulers']) : undefined;
  const { certificate } = observed;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: conditionsOf(findings, propertyAt(former, 'conditions'), generation, now),
    schedulers: schedulers ?? reports.map(({ status }) => status),
    ...(certificate && { tls: certificate }),
  };
}
