import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { MANAGER } from '../../../lib/translate/cluster/names';
import type { ApiClient } from '../../kubernetes/api-client';
import { resourceOf } from '../../kubernetes/resources';

const SECRETS = resourceOf('v1', 'Secret');

export type SecretsApi = Pick<ApiClient, 'get' | 'apply' | 'delete'>;

export async function readSecret(
  api: SecretsApi,
  { metadata }: KubernetesObject,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  return api.get(SECRETS, metadata.name, metadata.namespace, signal);
}

/** Whether a Secret has the labels of the wanted one: then the controller has made it. */
export function isOurs(wanted: KubernetesObject, present: KubernetesObject): boolean {
  const labels = present.metadata.labels ?? {};
  return Object.entries(wanted.metadata.labels ?? {}).every(([name, value]) => labels[name] === value);
}

/**
 * Writes a Secret where `present` is still what there is (undefined: nothing); else rejects with an ApiError of code 409.
 * What it had and the new one does not goes away.
 */
export async function writeSecret(
  api: SecretsApi,
  wanted: KubernetesObject,
  present: KubernetesObject | undefined,
  signal: AbortSignal,
): Promise<KubernetesObject> {
  const { resourceVersion } = present?.metadata ?? {};
  const metadata = { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  // Without force nothing is taken from somebody who has just made a Secret of this name.
  const force = present !== undefined;
  return api.apply(SECRETS, { ...wanted, metadata }, { fieldManager: MANAGER, force, signal });
}

/** Resolves also where there is none. */
export async function deleteSecret(
  api: SecretsApi,
  { metadata }: KubernetesObject,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(SECRETS, metadata.name, metadata.namespace, { signal });
}
