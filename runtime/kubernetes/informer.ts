import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { abortScope } from './abort-scope';
import type { ApiClient, Resource, Selection } from './api-client';
import { type ApiError, isApiError } from './api-error';
import { createBackoff } from './backoff';
import type { Clock } from './clock';
import { ObjectStore, type OnChange } from './object-store';
import { resourceName } from './resource-path';

export interface InformerOptions {
  readonly client: ApiClient;
  readonly resource: Resource;
  /** Default: every object of the kind. */
  readonly selection?: Selection;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** All objects are listed again after this time, whatever the watch says. Milliseconds, give or take a tenth; default 300000. */
  readonly relistMs?: number;
  /** The longest delay between failed tries. Milliseconds, default 30000. */
  readonly maxBackoffMs?: number;
  /** What is kept of an object. `managedFields` never are. Default: everything else. */
  readonly trim?: (object: KubernetesObject) => KubernetesObject;
  /** Once everything is known for the first time, and whenever the kind comes to be served or ceases to be. */
  readonly onSync?: (state: 'synced' | 'absent') => void;
  /** Of one object, in order, and when the store has it. Must return at once; what it throws is logged. */
  readonly onChange?: OnChange;
  /** Each failed try, except that a version was too old or that the kind is not served. */
  readonly onFault?: (error: Error) => void;
}

export interface Informer {
  readonly resource: Resource;
  /** `absent`: the cluster does not serve the kind, so that there are no objects of it. */
  state(): 'starting' | 'synced' | 'absent';
  /** Objects are frozen. */
  get(name: string, namespace?: string): KubernetesObject | undefined;
  list(): readonly KubernetesObject[];
  /** Milliseconds since the API server last said something about the kind; at first: since the start. */
  stalenessMs(): number;
  /** When it has ended. Never rejects. */
  readonly done: Promise<void>;
}

/** Delays between failed tries begin here, and begin anew after a minute without one. Milliseconds. */
const MIN_BACKOFF_MS = 250;
const HEALTHY_MS = 60_000;

/** Milliseconds. */
const SHORTEST_WATCH_MS = 1_000;

/** A list that only makes sure, and fails, is put off for so long. Milliseconds. */
const LIST_AGAIN_MS = 60_000;

/** A kind that is not served is looked for so often. Milliseconds. */
const ABSENT_MS = 10_000;

/** The same fault is logged again after this time. Milliseconds. */
const LOG_AGAIN_MS = 300_000;

/**
 * Keeps the objects of one kind as the API server has them: lists, then watches from there. A watch that ends is continued
 * from the last version; one that fails, after a delay that doubles up to 30 s; where the version is gone, or what comes
 * after it cannot be read, all is listed again and what has vanished in between is told as deleted. What is known stays known while the API server
 * cannot be reached: `stalenessMs` says for how long.
 */
export function startInformer(options: InformerOptions): Informer {
  const { client, resource, selection = {}, clock, random, log, signal, relistMs = 300_000 } = options;
  const { trim, onSync, onChange, onFault, maxBackoffMs = 30_000 } = options;
  const name = resourceName(resource);
  const store = new ObjectStore({ trim, onChange: (old, now) => guard(() => onChange?.(old, now)) });
  const backoff = createBackoff(MIN_BACKOFF_MS, maxBackoffMs, random);

  let state: 'starting' | 'synced' | 'absent' = 'starting';
  /** From where to watch; undefined: list first. */
  let version: string | undefined;
  let relistAt = 0;
  let contactAt = clock.now();
  /** Since when all is well; undefined: it is not. */
  let healthySince: number | undefined;
  /** The fault before was that the version was gone. */
  let wasGone = false;
  /** Lists in a row that found the kind not served. */
  let timesAbsent = 0;
  let told: { readonly message: string; readonly at: number } | undefined;

  function guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      log.error({ err: error }, `${name}: a listener failed`);
    }
  }

  function contact(): void {
    contactAt = clock.now();
    healthySince ??= contactAt;
  }

  function enter(next: 'synced' | 'absent'): void {
    if (state === next) return;
    const isNews = next === 'absent' || state === 'absent';
    state = next;
    if (isNews) log.info(next === 'absent' ? `${name}: not served by this cluster` : `${name}: served now`);
    guard(() => onSync?.(next));
  }

  async function relist(): Promise<void> {
    const page = await client.list(resource, selection, signal);
    contact();
    timesAbsent = 0;
    version = page.resourceVersion;
    relistAt = clock.now() + relistMs * (0.9 + random() / 5);
    store.replaceAll(page.items);
    enter('synced');
  }

  /** One watch, until it ends or all is to be listed again. */
  async function follow(from: string): Promise<void> {
    const scope = abortScope(signal);
    void clock.sleep(relistAt - clock.now(), scope.signal).then(() => scope.abort());
    const startedAt = clock.now();
    let events = 0;
    try {
      for await (const event of client.watch(resource, selection, from, scope.signal, opened)) {
        contact();
        events += 1;
        if (event.type === 'BOOKMARK') {
          version = event.resourceVersion;
          continue;
        }
        version = event.object.metadata.resourceVersion ?? version;
        if (event.type === 'DELETED') store.delete(event.object);
        else store.set(event.object);
      }
      contact();
      // Else a proxy that ends every watch would be asked without a pause.
      if (events === 0 && clock.now() - startedAt < SHORTEST_WATCH_MS) throw new Error('the watch ended as it began');
    } catch (error) {
      // Its own end, because the time to list has come, is no fault.
      if (!scope.signal.aborted) throw error;
    } finally {
      scope.abort();
      scope.release();
    }
  }

  function opened(): void {
    contact();
    if (told !== undefined) log.info(`${name}: watched again`);
    told = undefined;
  }

  function tellFault(error: Error): void {
    guard(() => onFault?.(error));
    const now = clock.now();
    if (told?.message === error.message && now - told.at < LOG_AGAIN_MS) return;
    told = { message: error.message, at: now };
    log.warn(`${name}: ${error.message}; what is known of them is kept`);
  }

  async function recover(error: Error, wasListing: boolean): Promise<void> {
    if (healthySince !== undefined && clock.now() - healthySince >= HEALTHY_MS) {
      backoff.reset();
      wasGone = false;
    }
    healthySince = undefined;
    if (wasListing && isNotServed(error, resource)) return awaitKind();
    if (!keepsPlace(error)) version = undefined;
    // An overloaded server refuses lists sooner than watches, and what is held is good for a watch.
    else if (wasListing && version !== undefined) relistAt = clock.now() + LIST_AGAIN_MS * (1 + random() / 5);
    // What the next list finds out counts: whether the version is gone, or the kind.
    if (!isApiError(error, 410) && (wasListing || !isApiError(error, 404))) tellFault(error);
    await clock.sleep(delayAfter(error), signal);
  }

  /** Milliseconds. */
  function delayAfter(error: Error): number {
    const isGone = isApiError(error, 410);
    // It answers, and a list will do: a delay that grew while it was away would only keep its news back.
    if (isGone && !wasGone) {
      wasGone = true;
      return MIN_BACKOFF_MS * (1 + random());
    }
    wasGone = isGone;
    const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(backoff.next(), Math.min(asked, maxBackoffMs));
  }

  async function awaitKind(): Promise<void> {
    contactAt = clock.now();
    timesAbsent += 1;
    // One answer alone may be a proxy's: objects are not given up for it.
    if (state !== 'synced' || timesAbsent > 1) {
      store.replaceAll([]);
      enter('absent');
    }
    await clock.sleep(ABSENT_MS, signal);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const listFirst = version === undefined || clock.now() >= relistAt;
      try {
        if (listFirst) await relist();
        else await follow(version!);
      } catch (error) {
        if (!signal.aborted) await recover(error as Error, listFirst);
      }
    }
  }

  return {
    resource,
    state: () => state,
    get: (objectName, namespace) => store.get(objectName, namespace),
    list: () => store.list(),
    stalenessMs: () => clock.now() - contactAt,
    done: run(),
  };
}

/** Kinds of the core group are always served: there it is a fault. */
function isNotServed(error: Error, { group }: Resource): boolean {
  return group !== '' && isApiError(error, 404);
}

/** Whether the last version is worth another try: the server is away or busy, and says nothing against the version. */
function keepsPlace(error: Error): boolean {
  if (isApiError(error, 429, 500, 502, 503, 504)) return !isOfTheFuture(error);
  // What cannot be read would come again from the same version.
  return isApiError(error, 0) && error.reason !== 'Malformed' && error.reason !== 'TooLarge';
}

/** After the store was put back to an earlier state. */
function isOfTheFuture({ causes }: ApiError): boolean {
  return causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}
