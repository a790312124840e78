import type { Logger } from 'pino';
import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { propertyAt, textOf } from '../../lib/api/validation/loose';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import type { Installation, Problem } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { GatewayEvents } from './events';
import { hasFinalizer, removeFinalizer } from './finalizer';
import { type GatewayCertificates, KEEP_CERTIFICATE } from './gateway-certificates';
import { type Owner, ownerOfConfig } from './owner';
import { removeGateway } from './removal';
import type { StatusReport } from './status-report';

export interface RemoveConfigOptions {
  readonly client: ApiClient;
  readonly certificates: GatewayCertificates;
  readonly installation: Installation;
  readonly events: GatewayEvents;
  readonly report: StatusReport;
  readonly log: Logger;
}

/** Lets go of configs that are being deleted. */
export interface ConfigRemoval {
  /** Once what was made for it is removed. Undefined: it has let go; else the milliseconds after which to try again. */
  remove(config: KubernetesObject, signal: AbortSignal): Promise<number | undefined>;
  forget(owner: Owner): void;
}

/** Others work on what is waited for. Milliseconds. */
const POLL_MS = 5_000;

export function createConfigRemoval(options: RemoveConfigOptions): ConfigRemoval {
  const { client, certificates, installation, events, report, log } = options;
  /** What was logged last. */
  const logged = new Map<Owner, string>();

  async function tellWaiting(config: KubernetesObject, reason: string, message: string, signal: AbortSignal) {
    const owner = ownerOfConfig(config);
    // Where the namespace is being deleted too, there can be no Events.
    if (logged.get(owner) !== message) log.info({ gateway: owner }, message);
    logged.set(owner, message);
    events.waiting(config, reason, message);
    const problems: readonly Problem[] = [{ condition: 'Ready', reason, message, blocks: true }];
    const translation = { objects: [], problems, pickerDeployments: new Map<string, string>() };
    await report.write({ object: config, translation }, signal);
  }

  return {
    async remove(config, signal) {
      if (!hasFinalizer(config)) return undefined;
      const claimant = config as unknown as OwningConfig;
      const deleteCertificate = (arn: string) => certificates.deleteImported(arn, claimant, signal);
      const isKept = config.metadata.annotations?.[KEEP_CERTIFICATE] === 'true';
      const importedArn = isKept ? undefined : await importedCertificate(config, certificates, signal);
      const removal = await removeGateway(config, { client, installation, importedArn, deleteCertificate, signal });
      if (removal.state === 'waiting') {
        await tellWaiting(config, removal.reason, removal.message, signal);
        return POLL_MS;
      }
      events.removed(config);
      await removeFinalizer(client, config, signal);
      return undefined;
    },
    forget: (owner) => void logged.delete(owner),
  };
}

/** Its name is kept beside it; a config that is not valid any more has it in its status. */
async function importedCertificate(
  config: KubernetesObject,
  certificates: Pick<GatewayCertificates, 'read'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const checked = validateObject(config);
  if ('object' in checked) {
    return (await certificates.read(checked.object as InferenceGatewayConfig, signal)).issued?.acmArn;
  }
  const arn = textOf(propertyAt(config.status, 'tls', 'acmArn'));
  return arn === textOf(propertyAt(config.spec, 'tls', 'acmArn')) ? undefined : arn;
}
