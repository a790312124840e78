import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { untilAborted } from '../../../../runtime/kubernetes/abort-scope';
import type {
  ApiClient,
  ApplyOptions,
  DeleteOptions,
  ListPage,
  Resource,
  Selection,
  WatchEvent,
} from '../../../../runtime/kubernetes/api-client';
import { ApiError } from '../../../../runtime/kubernetes/api-error';
import { resourceName } from '../../../../runtime/kubernetes/resource-path';
import { type Change, FakeCluster } from '../../../support/fake-api-server/fake-cluster';
import { Refusal } from '../../../support/fake-api-server/refusal';
import { selectorOf } from '../../../support/fake-api-server/selectors';
import { applyFields } from './field-ownership';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'replace' | 'apply' | 'applyStatus' | 'delete';

export interface Call {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** What goes wrong with a call: before it is done, or after, so that its answer is lost. */
export interface Mishap {
  readonly when: 'before' | 'after';
  readonly error: Error;
}

const WRITES: readonly Verb[] = ['create', 'replace', 'apply', 'applyStatus', 'delete'];

/** The API of a cluster in memory, with server-side apply and who manages which fields. */
export class MemoryApi implements ApiClient {
  readonly cluster = new FakeCluster();
  /** `verb Kind namespace/name`, in order: writes that reached the cluster, whether they changed anything or not. */
  readonly writes: string[] = [];
  mishap: (call: Call) => Mishap | undefined = () => undefined;
  /** Before each call is done. */
  delay: (call: Call) => Promise<void> = () => Promise.resolve();

  private readonly watches = new Set<() => void>();

  /** Every open watch breaks. */
  cutWatches(): void {
    for (const cut of [...this.watches]) cut();
  }

  get(resource: Resource, name: string, namespace?: string, signal?: AbortSignal) {
    return this.call({ verb: 'get', resource, name, namespace }, signal, () => {
      if (!this.cluster.serves(resource)) throw new Refusal(404, 'NotFound', 'page not found');
      return this.cluster.get(resource, name, namespace);
    });
  }

  list(resource: Resource, selection: Selection, signal?: AbortSignal): Promise<ListPage> {
    const { namespace, labelSelector = null, fieldSelector = null } = selection;
    return this.call({ verb: 'list', resource, name: '', namespace }, signal, () => {
      if (!this.cluster.serves(resource)) throw new Refusal(404, 'NotFound', 'page not found');
      const items = this.cluster.list(resource, namespace).filter(selectorOf(labelSelector, fieldSelector));
      return { resourceVersion: String(this.cluster.version), items };
    });
  }

  async *watch(
    resource: Resource,
    selection: Selection,
    resourceVersion: string,
    signal: AbortSignal,
    onOpen?: () => void,
  ): AsyncIterable<WatchEvent> {
    const past = await this.call({ verb: 'watch', resource, name: '', namespace: selection.namespace }, signal, () =>
      this.cluster.since(Number(resourceVersion)),
    );
    if (past === undefined) throw failure(new Refusal(410, 'Expired', 'too old resource version'));
    onOpen?.();
    const waiting: Change[] = [...past];
    let wake: () => void = () => {};
    let broken = false;
    const cut = () => {
      broken = true;
      wake();
    };
    const stopListening = this.cluster.onChange((change) => {
      waiting.push(change);
      wake();
    });
    this.watches.add(cut);
    const aborted = () => wake();
    signal.addEventListener('abort', aborted, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        if (broken)
          throw new ApiError({ code: 0, reason: 'Unreachable', message: 'connection lost', request: 'watch' });
        const change = waiting.shift();
        if (change === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const event = seenAs(change, resource, selection);
        if (event !== undefined) yield event;
      }
    } finally {
      stopListening();
      this.watches.delete(cut);
      signal.removeEventListener('abort', aborted);
    }
  }

  create(resource: Resource, object: KubernetesObject, signal?: AbortSignal) {
    const { name, namespace } = object.metadata;
    return this.call({ verb: 'create', resource, name, namespace }, signal, () =>
      this.cluster.create(resource, object),
    );
  }

  replace(resource: Resource, object: KubernetesObject, signal?: AbortSignal) {
    const { name, namespace } = object.metadata;
    return this.call({ verb: 'replace', resource, name, namespace }, signal, () =>
      this.cluster.replace(resource, object),
    );
  }

  apply(resource: Resource, object: KubernetesObject, options: ApplyOptions) {
    const { name, namespace, uid } = object.metadata;
    const { fieldManager, subresource, signal } = options;
    const verb = subresource === 'status' ? 'applyStatus' : 'apply';
    return this.call({ verb, resource, name, namespace }, signal, () => {
      if (!this.cluster.serves(resource)) throw new Refusal(404, 'NotFound', 'page not found');
      const old = this.cluster.get(resource, name, namespace);
      if (old === undefined && subresource !== undefined) throw new Refusal(404, 'NotFound', `${name} not found`);
      if (uid !== undefined && uid !== old?.metadata.uid) throw new Refusal(409, 'Conflict', 'uid mismatch');
      return this.cluster.put(resource, { ...applyFields(old, object, fieldManager, subresource) });
    });
  }

  delete(resource: Resource, name: string, namespace: string | undefined, options: DeleteOptions = {}) {
    return this.call({ verb: 'delete', resource, name, namespace }, options.signal, () => {
      const old = this.cluster.get(resource, name, namespace);
      if (old === undefined || (options.uid !== undefined && options.uid !== old.metadata.uid)) return;
      this.cluster.delete(resource, name, namespace);
    });
  }

  /** A call that is given up may still arrive. */
  private async call<T>(call: Call, signal: AbortSignal | undefined, work: () => T): Promise<T> {
    signal?.throwIfAborted();
    const arrived = this.arrive(call, work);
    return await (signal === undefined ? arrived : untilAborted(arrived, signal));
  }

  private async arrive<T>(call: Call, work: () => T): Promise<T> {
    const mishap = this.mishap(call);
    await this.delay(call);
    if (mishap?.when === 'before') throw mishap.error;
    try {
      const result = work();
      if (WRITES.includes(call.verb)) this.writes.push(nameOf(call));
      if (mishap?.when === 'after') throw mishap.error;
      return result;
    } catch (error) {
      throw error instanceof Refusal ? failure(error, call) : error;
    }
  }
}

function nameOf({ verb, resource, name, namespace }: Call): string {
  return `${verb} ${resource.kind} ${namespace ?? ''}/${name}`;
}

export function refused(code: number, reason: string, message: string): ApiError {
  return new ApiError({ code, reason, message, request: 'test' });
}

function failure({ code, reason, message }: Refusal, call?: Call): ApiError {
  return new ApiError({ code, reason, message, request: call === undefined ? 'watch' : resourceName(call.resource) });
}

function seenAs(
  { version, resource, old, object }: Change,
  of: Resource,
  selection: Selection,
): WatchEvent | undefined {
  if (resource !== of) return undefined;
  const matches = selectorOf(selection.labelSelector ?? null, selection.fieldSelector ?? null);
  const seen = (one: KubernetesObject | undefined) =>
    one !== undefined &&
    (selection.namespace === undefined || one.metadata.namespace === selection.namespace) &&
    matches(one);
  const [before, after] = [seen(old), seen(object)];
  if (!before && !after) return undefined;
  const resourceVersion = String(version);
  const told = after ? object! : { ...old!, metadata: { ...old!.metadata, resourceVersion } };
  return { type: after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED', object: told };
}
