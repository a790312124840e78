import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { ClusterAccess } from './access';
import type { ApiClient, ApplyOptions, DeleteOptions, ListPage, Resource, Selection } from './api-client';
import { isApiError, noAnswer } from './api-error';
import { type Clock, systemClock } from './clock';
import { type ApiRequest, HttpRequests, parseAnswer, readText, requestName, withTimeout } from './http-requests';
import { apiVersionOf, collectionPath, objectPath, pathOf } from './resource-path';
import { checkedObject, watchStream } from './watch-stream';

export interface HttpApiClientOptions {
  readonly access: ClusterAccess;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly clock?: Clock;
  /** Product and version; up to the `/` it is also the field manager of what is created. Default `inference-gateway`. */
  readonly userAgent?: string;
  /** What the API server warns of, such as a field that it does not know and has dropped; each warning once. */
  readonly onWarning?: (text: string) => void;
  /** For a whole request, with all that is waited in it; not for watches. Milliseconds, default 30000. */
  readonly requestTimeoutMs?: number;
  /**
   * A watch that says nothing for so long is given up, as one that has failed: its connection may be dead. Bookmarks come
   * each minute. Milliseconds, default 75000.
   */
  readonly silenceMs?: number;
  /** Objects in one answer to a list. Default 500. */
  readonly pageSize?: number;
}

export interface HttpApiClient extends ApiClient {
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** Bytes. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** The server ends a watch after a time drawn from here, so that not all begin anew together. Seconds. */
const WATCH_SECONDS = { min: 240, max: 300 };

/**
 * The Kubernetes API over HTTP. A request is sent once more only where its answer is 401, or asks to come back within
 * 10 s; every other failure is the caller's to wait and try again after.
 */
export function createHttpApiClient(options: HttpApiClientOptions): HttpApiClient {
  const { access, random, clock = systemClock, userAgent = 'inference-gateway', onWarning = () => {} } = options;
  const { requestTimeoutMs = 30_000, silenceMs = 75_000, pageSize = 500 } = options;
  const requests = new HttpRequests({ access, clock, random, userAgent, onWarning });

  /** The answer as JSON. */
  function ask(request: ApiRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const name = requestName(request);
    return withTimeout(requestTimeoutMs, name, signal, async (scoped) => {
      const response = await requests.send(request, scoped);
      return parseAnswer(await readText(response, name, MAX_ANSWER_BYTES, scoped), name);
    });
  }

  async function askObject(request: ApiRequest, signal: AbortSignal | undefined): Promise<KubernetesObject> {
    return checkedObject(await ask(request, signal), requestName(request));
  }

  async function listPages(
    resource: Resource,
    selection: Selection,
    limit: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ListPage> {
    const path = collectionPath(resource, selection.namespace);
    const items: KubernetesObject[] = [];
    let rest: string | undefined;
    for (;;) {
      const request: ApiRequest = {
        method: 'GET',
        path,
        query: { ...selectors(selection), limit: limit?.toString(), continue: rest },
      };
      try {
        const page = parsePage(await ask(request, signal), resource, requestName(request));
        for (const item of page.items) items.push(item);
        rest = page.rest;
        if (rest === undefined) return { resourceVersion: page.resourceVersion, items };
      } catch (error) {
        // The place to go on from is gone. One answer that holds everything has no such place.
        if (rest === undefined || !isApiError(error, 410)) throw error;
        return listPages(resource, selection, undefined, signal);
      }
    }
  }

  return {
    async get(resource, name, namespace, signal) {
      try {
        return await askObject({ method: 'GET', path: objectPath(resource, name, namespace) }, signal);
      } catch (error) {
        if (isApiError(error, 404)) return undefined;
        throw error;
      }
    },
    list: (resource, selection, signal) => listPages(resource, selection, pageSize, signal),
    watch(resource, selection, resourceVersion, signal, onOpen = () => {}) {
      const seconds = WATCH_SECONDS.min + random() * (WATCH_SECONDS.max - WATCH_SECONDS.min);
      const request: ApiRequest = {
        method: 'GET',
        path: collectionPath(resource, selection.namespace),
        query: {
          ...selectors(selection),
          watch: 'true',
          allowWatchBookmarks: 'true',
          timeoutSeconds: String(Math.round(seconds)),
          resourceVersion,
        },
        watch: true,
      };
      return watchStream(requests, request, { signal, openTimeoutMs: requestTimeoutMs, silenceMs, onOpen });
    },
    async create(resource, object, signal) {
      const path = collectionPath(resource, object.metadata.namespace);
      return askObject({ method: 'POST', path, body: jsonBody(object) }, signal);
    },
    async replace(resource, object, signal) {
      return askObject({ method: 'PUT', path: pathOf(resource, object), body: jsonBody(object) }, signal);
    },
    async apply(resource, object, options) {
      return askObject(applyRequest(resource, object, options), options.signal);
    },
    async delete(resource, name, namespace, options = {}) {
      try {
        await ask(deleteRequest(objectPath(resource, name, namespace), options), options.signal);
      } catch (error) {
        // A conflict says that another object has the name now.
        const isGone = isApiError(error, 404) || (options.uid !== undefined && isApiError(error, 409));
        if (!isGone) throw error;
      }
    },
    close: () => requests.close(),
  };
}

function applyRequest(resource: Resource, object: KubernetesObject, options: ApplyOptions): ApiRequest {
  const { fieldManager, force = false, subresource, dryRun = false } = options;
  return {
    method: 'PATCH',
    path: pathOf(resource, object, subresource),
    query: { fieldManager, force: String(force), dryRun: dryRun ? 'All' : undefined },
    // Every JSON text is YAML.
    body: { type: 'application/apply-patch+yaml', text: JSON.stringify(object) },
  };
}

function deleteRequest(path: string, { uid, propagation = 'Background' }: DeleteOptions): ApiRequest {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation,
    ...(uid !== undefined && { preconditions: { uid } }),
  };
  return { method: 'DELETE', path, body: jsonBody(body) };
}

function jsonBody(value: unknown): { readonly type: string; readonly text: string } {
  return { type: 'application/json', text: JSON.stringify(value) };
}

function selectors({ labelSelector, fieldSelector }: Selection): Record<string, string | undefined> {
  return { labelSelector, fieldSelector };
}

interface Page extends ListPage {
  readonly rest: string | undefined;
}

function parsePage(answer: unknown, resource: Resource, name: string): Page {
  const { metadata, items } = answer as {
    metadata?: { resourceVersion?: string; continue?: string };
    items?: readonly unknown[] | null;
  };
  if (typeof metadata?.resourceVersion !== 'string') throw noAnswer('Malformed', name, 'the answer is not a list');
  // Items of a list do not say what they are.
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return {
    resourceVersion: metadata.resourceVersion,
    rest: metadata.continue || undefined,
    items: (items ?? []).map((item) => ({ ...checkedObject(item, name), ...type })),
  };
}
