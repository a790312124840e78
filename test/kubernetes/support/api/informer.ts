import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { type ApiAccess, request, requestLines } from './request';

export interface ApiObject {
  readonly metadata?: V1ObjectMeta;
}

/** The objects of one kind, as last heard of. It follows the API server through its absences. */
export interface Informer<T extends ApiObject> {
  /** `namespace/name`, or the name where there is no namespace. */
  get(key: string): T | undefined;
  list(): T[];
  /** Calls `changed` for each object that is there and each that changes; `deleted` where it has gone. */
  onChange(changed: (object: T, deleted: boolean) => void): void;
  close(): Promise<void>;
}

export const keyOf = ({ metadata }: ApiObject): string =>
  metadata?.namespace === undefined ? (metadata?.name ?? '') : `${metadata.namespace}/${metadata.name}`;

interface List<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

interface WatchLine<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

/** The absence of the API server is polled this often, in milliseconds. */
const RETRY = 200;

/** Follows the objects at `path`, such as `/api/v1/pods`. Resolves once it has them. */
export async function startInformer<T extends ApiObject>(access: ApiAccess, path: string): Promise<Informer<T>> {
  const objects = new Map<string, T>();
  const listeners: ((object: T, deleted: boolean) => void)[] = [];
  const stop = new AbortController();

  const put = (object: T) => {
    const key = keyOf(object);
    if (objects.get(key)?.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    objects.set(key, object);
    for (const listener of listeners) listener(object, false);
  };
  const remove = (object: T) => {
    if (!objects.delete(keyOf(object))) return;
    for (const listener of listeners) listener(object, true);
  };
  const relist = async (): Promise<string> => {
    const list = (await request(access, 'GET', path, { signal: stop.signal })) as List<T>;
    const present = new Map(list.items.map((object) => [keyOf(object), object]));
    for (const [key, object] of objects) {
      // One of the same name may be another object by now.
      if (present.get(key)?.metadata?.uid !== object.metadata?.uid) remove(object);
    }
    for (const object of list.items) put(object);
    return list.metadata.resourceVersion;
  };
  const watch = async (from: string): Promise<void> => {
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=600&resourceVersion=${from}`;
    for await (const line of requestLines(access, `${path}?${query}`, stop.signal)) {
      const { type, object } = JSON.parse(line) as WatchLine<T>;
      if (type === 'ERROR') return;
      if (type === 'DELETED') remove(object);
      else if (type !== 'BOOKMARK') put(object);
    }
  };
  const follow = async (first: string): Promise<void> => {
    for (let from: string | undefined = first; !stop.signal.aborted; from = undefined) {
      try {
        await watch(from ?? (await relist()));
      } catch {
        // Nothing to tell: what depends on it says what it waits for.
        await sleep(RETRY);
      }
    }
  };

  const following = follow(await relist());
  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    onChange(listener) {
      listeners.push(listener);
      for (const object of objects.values()) listener(object, false);
    },
    async close() {
      listeners.length = 0;
      stop.abort();
      await following;
    },
  };
}
