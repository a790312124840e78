import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { Resource } from '../../../runtime/kubernetes/api-client';
import { apiVersionOf, resourceName } from '../../../runtime/kubernetes/resource-path';
import { Refusal } from './refusal';

/** `object` undefined: it is gone; `old` undefined: it is new. */
export interface Change {
  readonly version: number;
  readonly resource: Resource;
  readonly old: KubernetesObject | undefined;
  readonly object: KubernetesObject | undefined;
}

type Json = Record<string, unknown>;

/**
 * The objects of a cluster, with versions and a history: what etcd and the API server's rules are to clients. Controllers of
 * the cluster (garbage collection, Deployments) are not played.
 */
export class FakeCluster {
  private readonly objects = new Map<string, KubernetesObject>();
  private readonly absent = new Set<string>();
  private readonly listeners = new Set<(change: Change) => void>();
  private changes: Change[] = [];
  private lastVersion = 1_000;
  /** Changes up to this version are forgotten. */
  private forgottenVersion = 0;

  get version(): number {
    return this.lastVersion;
  }

  /** Every change up to now is forgotten: who watches from an earlier version must list again. */
  compact(): void {
    this.changes = [];
    this.forgottenVersion = this.lastVersion;
  }

  /** As if its CustomResourceDefinition were deleted (with all objects), or made. */
  serve(resource: Resource, served: boolean): void {
    const name = resourceName(resource);
    if (served) this.absent.delete(name);
    else {
      for (const object of this.list(resource)) this.remove(resource, object);
      this.absent.add(name);
    }
  }

  serves(resource: Resource): boolean {
    return !this.absent.has(resourceName(resource));
  }

  onChange(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Undefined: that version is forgotten. */
  since(version: number): readonly Change[] | undefined {
    if (version < this.forgottenVersion) return undefined;
    return this.changes.filter((change) => change.version > version);
  }

  list(resource: Resource, namespace?: string): KubernetesObject[] {
    const prefix = `${resourceName(resource)}/${namespace === undefined ? '' : `${namespace}/`}`;
    return [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  get(resource: Resource, name: string, namespace?: string): KubernetesObject | undefined {
    return this.objects.get(keyOf(resource, name, namespace));
  }

  /** Creates or replaces, whatever version it has. */
  put(resource: Resource, object: Pick<KubernetesObject, 'metadata'> & Json): KubernetesObject {
    const { name, namespace } = object.metadata;
    const typed: KubernetesObject = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
    const old = this.get(resource, name, namespace);
    return old === undefined ? this.create(resource, typed) : this.write(resource, old, typed);
  }

  create(resource: Resource, object: KubernetesObject, dryRun = false): KubernetesObject {
    const { name, namespace } = object.metadata;
    if (this.get(resource, name, namespace) !== undefined) {
      throw new Refusal(409, 'AlreadyExists', `${resourceName(resource)} "${name}" already exists`);
    }
    return this.store(
      resource,
      undefined,
      {
        ...object,
        metadata: {
          ...object.metadata,
          uid: randomUUID(),
          creationTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
          generation: 1,
        },
      },
      dryRun,
    );
  }

  /** A resourceVersion must be the newest. */
  replace(resource: Resource, object: KubernetesObject): KubernetesObject {
    const { name, namespace, resourceVersion } = object.metadata;
    const old = this.need(resource, name, namespace);
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw new Refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${resourceName(resource)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
    }
    return this.write(resource, old, object);
  }

  /** As a merge: fields that are no longer applied stay, and nobody owns any. `status` alone through its subresource. */
  apply(resource: Resource, object: KubernetesObject, part: 'status' | undefined, dryRun = false): KubernetesObject {
    const { name, namespace } = object.metadata;
    const old = this.get(resource, name, namespace);
    if (old === undefined && part === 'status') this.need(resource, name, namespace);
    const { status, ...rest } = object as Json;
    if (old === undefined) return this.create(resource, rest as unknown as KubernetesObject, dryRun);
    const wanted = part === 'status' ? { status } : rest;
    const merged = merge(old, wanted) as unknown as KubernetesObject;
    return this.write(
      resource,
      old,
      { ...merged, metadata: merge(old.metadata, part ? {} : object.metadata) as never },
      dryRun,
    );
  }

  delete(resource: Resource, name: string, namespace?: string, uid?: string): KubernetesObject {
    const old = this.need(resource, name, namespace);
    if (uid !== undefined && uid !== old.metadata.uid) {
      throw new Refusal(
        409,
        'Conflict',
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
      );
    }
    if ((old.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = old.metadata.deletionTimestamp ?? new Date().toISOString().replace(/\.\d+/, '');
      return this.write(resource, old, { ...old, metadata: { ...old.metadata, deletionTimestamp } });
    }
    this.remove(resource, old);
    return old;
  }

  private need(resource: Resource, name: string, namespace: string | undefined): KubernetesObject {
    const object = this.get(resource, name, namespace);
    if (object === undefined) throw new Refusal(404, 'NotFound', `${resourceName(resource)} "${name}" not found`);
    return object;
  }

  private write(resource: Resource, old: KubernetesObject, object: KubernetesObject, dryRun = false): KubernetesObject {
    const { uid, creationTimestamp, generation = 1, resourceVersion, deletionTimestamp } = old.metadata;
    const next: KubernetesObject = {
      ...object,
      metadata: {
        ...object.metadata,
        ...(uid !== undefined && { uid }),
        ...(creationTimestamp !== undefined && { creationTimestamp }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
        generation: isDeepStrictEqual(bare(old), bare(object)) ? generation : generation + 1,
      },
    };
    if (isDeepStrictEqual(next, old)) return old;
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      this.remove(resource, old);
      return next;
    }
    return this.store(resource, old, next, dryRun);
  }

  private store(
    resource: Resource,
    old: KubernetesObject | undefined,
    object: KubernetesObject,
    dryRun: boolean,
  ): KubernetesObject {
    if (dryRun) return object;
    const version = ++this.lastVersion;
    const stored = JSON.parse(
      JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }),
    ) as KubernetesObject;
    this.objects.set(keyOf(resource, stored.metadata.name, stored.metadata.namespace), stored);
    this.tell({ version, resource, old, object: stored });
    return stored;
  }

  private remove(resource: Resource, old: KubernetesObject): void {
    this.objects.delete(keyOf(resource, old.metadata.name, old.metadata.namespace));
    this.tell({ version: ++this.lastVersion, resource, old, object: undefined });
  }

  private tell(change: Change): void {
    this.changes.push(change);
    for (const listener of [...this.listeners]) listener(change);
  }
}

function keyOf(resource: Resource, name: string, namespace: string | undefined): string {
  return `${resourceName(resource)}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** What counts as a new generation: everything but metadata and status. */
function bare({ metadata: _metadata, status: _status, ...rest }: KubernetesObject): unknown {
  return rest;
}

function merge(old: unknown, wanted: unknown): unknown {
  if (!isMap(old) || !isMap(wanted)) return wanted;
  const result: Json = { ...old };
  for (const [key, value] of Object.entries(wanted)) {
    if (value !== undefined) result[key] = merge(old[key], value);
  }
  return result;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
