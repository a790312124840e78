import { untilAborted } from '../../../../runtime/kubernetes/abort-scope';
import type { ApiClient, Resource } from '../../../../runtime/kubernetes/api-client';
import type { MemoryApi } from './memory-api';

/**
 * A process's way to the API, which can be cut: what is sent meanwhile arrives when it is mended. Or a watch is half open: it
 * brings nothing, and nothing shows it.
 */
export class Link {
  readonly client: ApiClient;
  private mended: PromiseWithResolvers<void> | undefined;
  private readonly withheld = new Map<string, PromiseWithResolvers<void>>();

  constructor(api: MemoryApi) {
    this.client = new Proxy(api, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        const call = value as (...request: unknown[]) => unknown;
        return (...request: unknown[]) => {
          if (property === 'watch') {
            const [resource] = request as [Resource];
            return this.seen(resource.kind, call.apply(target, request) as AsyncIterable<unknown>);
          }
          if (this.mended === undefined) return call.apply(target, request);
          const late = this.mended.promise.then(() => call.apply(target, withoutSignal(request)));
          const signal = signalOf(request);
          return signal === undefined ? late : untilAborted(late, signal);
        };
      },
    });
  }

  cut(): void {
    this.mended ??= Promise.withResolvers();
  }

  blindTo(kind: string): () => void {
    const gate = Promise.withResolvers<void>();
    this.withheld.set(kind, gate);
    return () => {
      this.withheld.delete(kind);
      gate.resolve();
    };
  }

  private async *seen(kind: string, events: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const event of events) {
      await this.withheld.get(kind)?.promise;
      yield event;
    }
  }

  mend(): void {
    this.mended?.resolve();
    this.mended = undefined;
  }
}

function signalOf(request: readonly unknown[]): AbortSignal | undefined {
  for (const one of request) {
    if (one instanceof AbortSignal) return one;
    if (typeof one === 'object' && one !== null && 'signal' in one && one.signal instanceof AbortSignal)
      return one.signal;
  }
  return undefined;
}

/** It is on its way already: giving it up does not call it back. */
function withoutSignal(request: readonly unknown[]): unknown[] {
  return request.map((one) => {
    if (one instanceof AbortSignal) return undefined;
    if (typeof one !== 'object' || one === null || !('signal' in one)) return one;
    return { ...one, signal: undefined };
  });
}
