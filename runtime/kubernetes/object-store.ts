import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/** `old` undefined: new; `now` undefined: gone. An object that was made anew under its name is two changes. */
export type OnChange = (old: KubernetesObject | undefined, now: KubernetesObject | undefined) => void;

export interface ObjectStoreOptions {
  /** What is kept of an object: fewer fields need less memory. */
  readonly trim?: ((object: KubernetesObject) => KubernetesObject) | undefined;
  readonly onChange: OnChange;
}

/** The objects of one kind as last heard of. They are frozen: what is kept here is read by many. */
export class ObjectStore {
  private objects = new Map<string, KubernetesObject>();

  constructor(private readonly options: ObjectStoreOptions) {}

  get(name: string, namespace: string | undefined): KubernetesObject | undefined {
    return this.objects.get(keyOf(name, namespace));
  }

  list(): readonly KubernetesObject[] {
    return [...this.objects.values()];
  }

  get size(): number {
    return this.objects.size;
  }

  set(object: KubernetesObject): void {
    const kept = this.keep(object);
    const key = keyOfObject(kept);
    const old = this.objects.get(key);
    this.objects.set(key, kept);
    this.tell(old, kept);
  }

  delete(object: KubernetesObject): void {
    const key = keyOfObject(object);
    const old = this.objects.get(key);
    if (!this.objects.delete(key)) return;
    this.options.onChange(old, undefined);
  }

  /** All there is. Tells of what has changed, deletions first, when everything is in place. */
  replaceAll(objects: readonly KubernetesObject[]): void {
    const former = this.objects;
    this.objects = new Map();
    for (const object of objects) {
      const key = keyOfObject(object);
      const old = former.get(key);
      this.objects.set(key, old !== undefined && isSameVersion(old, object) ? old : this.keep(object));
    }
    for (const [key, old] of former) if (!this.objects.has(key)) this.options.onChange(old, undefined);
    for (const [key, object] of this.objects) {
      const old = former.get(key);
      if (old !== object) this.tell(old, object);
    }
  }

  private tell(old: KubernetesObject | undefined, now: KubernetesObject): void {
    const { onChange } = this.options;
    if (old !== undefined && old.metadata.uid !== now.metadata.uid) {
      onChange(old, undefined);
      onChange(undefined, now);
    } else onChange(old, now);
  }

  private keep(object: KubernetesObject): KubernetesObject {
    const { managedFields: _, ...metadata } = object.metadata as KubernetesObject['metadata'] & {
      managedFields?: unknown;
    };
    const bare = { ...object, metadata };
    return deepFreeze(this.options.trim === undefined ? bare : this.options.trim(bare));
  }
}

function isSameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function keyOf(name: string, namespace: string | undefined): string {
  return `${namespace ?? ''}/${name}`;
}

function keyOfObject({ metadata }: KubernetesObject): string {
  return keyOf(metadata.name, metadata.namespace);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
