import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import type { Installation, Problem } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { CertificateRemoval, Removed } from './certificate-removal';
import { recordIn } from './certificates/client-certificate';
import { readRecord } from './certificates/recorded-arn';
import type { GatewayEvents } from './events';
import { hasFinalizer, removeFinalizer } from './finalizer';
import type { FreshView } from './fresh-view';
import { type GatewayCertificates, KEEP_CERTIFICATE } from './gateway-certificates';
import { type Owner, ownerOfConfig } from './owner';
import { removeGateway } from './removal';
import type { StatusReport } from './status-report';
import { mayBeImported, unrecordedArn } from './unrecorded-certificate';

export interface RemoveConfigOptions {
  readonly client: ApiClient;
  readonly certificates: Pick<GatewayCertificates, 'findImported'>;
  readonly view: Pick<FreshView, 'isCurrent'>;
  readonly certificateRemoval: CertificateRemoval;
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
  const { client, view, certificateRemoval, installation, events, report, log } = options;
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

  async function removeCertificate(config: KubernetesObject, signal: AbortSignal): Promise<void> {
    const isKept = config.metadata.annotations?.[KEEP_CERTIFICATE] === 'true';
    const claimant = config as unknown as OwningConfig;
    // Its name is kept beside the config, and told in its status.
    const knownArn = async (at: AbortSignal) =>
      isKept ? undefined : recordIn(await readRecord(client, claimant, installation, at), config).arn;
    const mayBeUnrecorded = !isKept && mayBeImported(config);
    const removed: Removed = {
      owner: ownerOfConfig(config),
      id: config.metadata.uid ?? '',
      claimant,
      isStillGoing: (at) => view.isCurrent(claimant, at),
      mayHave: async (at) => mayBeUnrecorded || (await knownArn(at)) !== undefined,
      arn: async (at) =>
        (await knownArn(at)) ?? (mayBeUnrecorded ? await unrecordedArn(config, options, at) : undefined),
    };
    await certificateRemoval.remove(removed, signal);
  }

  return {
    async remove(config, signal) {
      if (!hasFinalizer(config)) return undefined;
      const deleteCertificate = () => removeCertificate(config, signal);
      const removal = await removeGateway(config, { client, installation, deleteCertificate, signal });
      if (removal.state === 'waiting') {
        await tellWaiting(config, removal.reason, removal.message, signal);
        return POLL_MS;
      }
      events.removed(config);
      await removeFinalizer(client, config, signal);
      certificateRemoval.forget(ownerOfConfig(config));
      return undefined;
    },
    forget: (owner) => void logged.delete(owner),
  };
}
