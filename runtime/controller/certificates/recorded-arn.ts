import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../../lib/translate/cluster/owned-object';
import type { Installation } from '../../../lib/translate/cluster/types';
import { secretText } from './authority-secret';
import { isRecord, recordSecret } from './client-certificate';
import { isOurs, readSecret, type SecretsApi } from './trust-secrets';

/** Name of the certificate that was imported for a gateway whose config is gone. `owned`: what it has. */
export async function recordedArn(
  api: SecretsApi,
  owned: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const record = owned.find(isRecord);
  return record && secretText(await readSecret(api, record, signal), 'arn');
}

/** The Secret with that name. Undefined also where it is a namesake's: gateways of several namespaces have one place for it. */
export async function readRecord(
  api: SecretsApi,
  config: OwningConfig,
  installation: Installation,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const wanted = recordSecret(config, installation);
  const present = await readSecret(api, wanted, signal);
  return present !== undefined && isOurs(wanted, present) ? present : undefined;
}
