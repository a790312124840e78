import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/** A kind of object at the API server. */
export interface Resource {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As in the path: `pods`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListPage {
  readonly resourceVersion: string;
  readonly items: readonly KubernetesObject[];
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubernetesObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** The Kubernetes API. Everything rejects with an ApiError, or with the reason of `signal`. */
export interface ApiClient {
  /** Undefined where there is none. */
  get(
    resource: Resource,
    name: string,
    namespace?: string,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | undefined>;
  /** All pages. */
  list(resource: Resource, selection: Selection, signal?: AbortSignal): Promise<ListPage>;
  /**
   * From `resourceVersion` on; ends when the server ends it, rejects where it has been silent for too long, and with a 410
   * where that version is gone. `onOpen`: the server has accepted it.
   */
  watch(
    resource: Resource,
    selection: Selection,
    resourceVersion: string,
    signal: AbortSignal,
    onOpen?: () => void,
  ): AsyncIterable<WatchEvent>;
  create(resource: Resource, object: KubernetesObject, signal?: AbortSignal): Promise<KubernetesObject>;
  /** Replaces; a resourceVersion in `object` that is not the newest rejects with 409. */
  replace(resource: Resource, object: KubernetesObject, signal?: AbortSignal): Promise<KubernetesObject>;
  /** Server-side apply. */
  apply(resource: Resource, object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject>;
  /** Resolves also where there is none, or none with that uid. */
  delete(resource: Resource, name: string, namespace: string | undefined, options?: DeleteOptions): Promise<void>;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers. Default false: a conflict rejects with 409. */
  readonly force?: boolean;
  readonly subresource?: 'status';
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface DeleteOptions {
  /** Only the object that has it. */
  readonly uid?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly signal?: AbortSignal;
}
