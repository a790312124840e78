import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GROUP, MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';

/** On every InferenceGatewayConfig of which something was made outside of its namespace. */
const FINALIZER = `${GROUP}/gateway`;

/** Its own, so that applying the finalizer owns nothing else, and taking it off removes nothing else. */
const FIELD_MANAGER = `${MANAGER}-finalizer`;

const CONFIGS = resourceOf(`${GROUP}/v1alpha1`, 'InferenceGatewayConfig');

export function hasFinalizer({ metadata }: KubernetesObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Server-side apply of the finalizer alone: `spec` belongs to those who wrote it. */
export async function addFinalizer(client: ApiClient, config: KubernetesObject, signal: AbortSignal): Promise<void> {
  await applyFinalizers(client, config, [FINALIZER], signal);
}

/**
 * Takes it off. Where somebody else has written it too, as a restored backup does, it stays in force after ours is gone:
 * then the whole object is written as it was read, less the finalizer, which the API server refuses after any change.
 */
export async function removeFinalizer(client: ApiClient, config: KubernetesObject, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = config.metadata;
  await applyFinalizers(client, config, [], signal);
  const left = await client.get(CONFIGS, name, namespace, signal);
  if (left === undefined || left.metadata.uid !== uid || !hasFinalizer(left)) return;
  const finalizers = left.metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER) ?? [];
  await client.replace(CONFIGS, { ...left, metadata: { ...left.metadata, finalizers } }, signal);
}

async function applyFinalizers(
  client: ApiClient,
  { apiVersion, kind, metadata }: KubernetesObject,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  // With the uid, an object that is gone or made anew is not created or changed by this.
  const kept = finalizers.length > 0 && { finalizers };
  const object = { apiVersion, kind, metadata: { name, namespace, uid, ...kept } } as KubernetesObject;
  await client.apply(CONFIGS, object, { fieldManager: FIELD_MANAGER, force: true, signal });
}
