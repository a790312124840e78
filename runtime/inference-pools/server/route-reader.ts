import type { Logger } from 'pino';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { abortScope } from '../../kubernetes/abort-scope';
import type { ApiClient } from '../../kubernetes/api-client';
import { isApiError } from '../../kubernetes/api-error';
import { createBackoff } from '../../kubernetes/backoff';
import type { Clock } from '../../kubernetes/clock';
import { resourceOf } from '../../kubernetes/resources';
import { type RouteBackends, routeBackends } from '../route-backends';
import type { BackendsOfRoutes } from '../xds/translate';

export interface RouteReaderOptions {
  readonly client: Pick<ApiClient, 'get'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

const HTTP_ROUTE = resourceOf('gateway.networking.k8s.io/v1', 'HTTPRoute');

/** Read at once; each is one small answer of the API server. */
const AT_ONCE = 16;

/** Milliseconds between tries. */
const AGAIN_MS = { min: 250, max: 5_000 };

/**
 * What HTTPRoutes lead to, by `NAMESPACE/NAME`; not those that are gone. Asked of the API server each time and not watched:
 * the hooks do not say what weights a rule has, Envoy Gateway is not asked twice about the same state, and a watch may be
 * behind its own. So it does not give up either while the API server does not answer. Rejects with an ApiError where that
 * refuses, and with the reason of `until`.
 */
export async function readBackends(
  { client, clock, random, log }: RouteReaderOptions,
  routes: ReadonlySet<string>,
  until: AbortSignal,
): Promise<BackendsOfRoutes> {
  const names = [...routes];
  const scope = abortScope(until);
  const { signal } = scope;
  const found = new Map<string, RouteBackends>();

  async function read(name: string): Promise<KubernetesObject | undefined> {
    const [namespace, route = ''] = name.split('/');
    const backoff = createBackoff(AGAIN_MS.min, AGAIN_MS.max, random);
    for (;;) {
      try {
        return await client.get(HTTP_ROUTE, route, namespace, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isApiError(error) || !mayPass(error.code)) throw error;
        const ms = Math.max(backoff.next(), error.retryAfterMs ?? 0);
        log.warn({ err: error, retryMs: ms }, `HTTPRoute ${name} cannot be read: Envoy Gateway waits for it`);
        await clock.sleep(ms, signal);
        signal.throwIfAborted();
      }
    }
  }

  async function readNext(): Promise<void> {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const object = await read(name);
      if (object) found.set(name, routeBackends(object));
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, readNext));
    return found;
  } finally {
    // Where one is refused nobody waits for the others.
    scope.abort();
    scope.release();
  }
}

/** Of no answer, of too many requests, and of the server's own faults. */
const mayPass = (code: number) => code === 0 || code === 429 || code >= 500;
