import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { ApiClient } from '../../kubernetes/api-client';
import { secretText } from './authority-secret';
import { isRecord } from './client-certificate';
import { readSecret } from './trust-secrets';

/** Name of the certificate that was imported for a gateway whose config is gone. `owned`: what it has. */
export async function recordedArn(
  client: ApiClient,
  owned: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const record = owned.find(isRecord);
  return record && secretText(await readSecret(client, record, signal), 'arn');
}
