import type { Logger } from 'pino';
import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { validateObject } from '../../lib/api/validation/validate-object';
import { acmArn, endpointType } from '../../lib/translate/cluster/ingress/endpoint-type';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GROUP } from '../../lib/translate/cluster/names';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import type { GatewayEvents } from './events';
import type { GatewayCertificates } from './gateway-certificates';
import { ownerOfConfig } from './owner';

export interface UnrecordedOptions {
  readonly certificates: Pick<GatewayCertificates, 'findImported'>;
  readonly events: Pick<GatewayEvents, 'problems'>;
  readonly log: Logger;
}

/** Whether a certificate may have been imported for a config: the controller may have ended before it was recorded. */
export function mayBeImported(config: KubernetesObject): boolean {
  const checked = validateObject(config);
  if (!('object' in checked)) return true;
  const valid = checked.object as InferenceGatewayConfig;
  return acmArn(valid.spec) === undefined && endpointType(valid) !== 'clusterIP';
}

/** Its name, from the store. Where that cannot be asked the gateway goes all the same: nothing says that there is one. */
export async function unrecordedArn(
  config: KubernetesObject,
  { certificates, events, log }: UnrecordedOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const claimant = config as unknown as OwningConfig;
  try {
    return await certificates.findImported(claimant, signal);
  } catch (error) {
    signal.throwIfAborted();
    const owner = ownerOfConfig(config);
    const message = `it is not known whether a certificate was imported for the gateway, which is removed all the same: ${(error as Error).message}; look in ACM for one with the tag ${GROUP}/uid=${claimant.metadata.uid}, and delete it`;
    log.warn({ gateway: owner }, message);
    events.problems(config, [{ reason: 'CertificateNotLookedFor', message, blocks: false }]);
    return undefined;
  }
}
