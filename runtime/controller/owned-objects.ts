import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { objectKey } from '../../lib/translate/cluster/object-key';
import { OWNING_GATEWAY_NAME } from './envoy-objects';
import { type Owner, ownerByLabels } from './owner';

/** The objects that the controller has made, and which gateway each is for, as its labels say. */
export interface OwnedObjects {
  /** As informers tell it. Gives the gateways that it is about. */
  change(old: KubernetesObject | undefined, now: KubernetesObject | undefined): readonly Owner[];
  of(owner: Owner): readonly KubernetesObject[];
  /** Of which there is any. */
  owners(): readonly Owner[];
  /** The one of that kind and name, whatever version of the API it is read by. */
  find(object: KubernetesObject): KubernetesObject | undefined;
}

export function createOwnedObjects(): OwnedObjects {
  const byKey = new Map<string, KubernetesObject>();
  const keysOf = new Map<Owner, Set<string>>();

  function remove(object: KubernetesObject, owner: Owner | undefined): void {
    const key = objectKey(object);
    byKey.delete(key);
    if (owner === undefined) return;
    const keys = keysOf.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(owner);
  }

  function put(object: KubernetesObject, owner: Owner | undefined): void {
    const key = objectKey(object);
    byKey.set(key, object);
    if (owner === undefined) return;
    keysOf.set(owner, (keysOf.get(owner) ?? new Set()).add(key));
  }

  return {
    change(old, now) {
      // Envoy Gateway gives what it makes the labels of the Gateway, and keeps it itself.
      if ((now ?? old)?.metadata.labels?.[OWNING_GATEWAY_NAME] !== undefined) return [];
      const former = old && ownerByLabels(old);
      const owner = now && ownerByLabels(now);
      if (old !== undefined) remove(old, former);
      if (now !== undefined) put(now, owner);
      return [...new Set([former, owner])].filter((one) => one !== undefined);
    },
    of: (owner) => [...(keysOf.get(owner) ?? [])].flatMap((key) => byKey.get(key) ?? []),
    owners: () => [...keysOf.keys()],
    find: (object) => byKey.get(objectKey(object)),
  };
}
