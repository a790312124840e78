import { create } from '@bufbuild/protobuf';
import { POOL_GROUP, POOL_KIND } from '../../../lib/api/pool-ref';
import {
  type PostRouteModifyRequest,
  type PostRouteModifyResponse,
  PostRouteModifyResponseSchema,
  type PostTranslateModifyRequest,
  type PostTranslateModifyResponse,
  PostTranslateModifyResponseSchema,
} from '../../envoy-api/generated/proto/extension/service_pb';
import { backendPool, type InferencePoolObject } from '../backend-pool';
import type { DiscoveryServer } from '../xds/endpoint-discovery';
import { stamped } from '../xds/stamp';
import { type BackendsOfRoutes, routesWithPools, translate } from '../xds/translate';

/** What Envoy Gateway asks while it makes the configuration of Envoys. */
export interface ExtensionHooks {
  /** Of each route that leads to an object of the kinds that the extension has. */
  postRouteModify(request: PostRouteModifyRequest): PostRouteModifyResponse;
  /** Of everything, at the end. Rejects where it cannot be known, and Envoys keep what they have. */
  postTranslateModify(request: PostTranslateModifyRequest, signal: AbortSignal): Promise<PostTranslateModifyResponse>;
}

export interface ExtensionHooksOptions {
  readonly discovery: () => DiscoveryServer;
  readonly readBackends: (routes: ReadonlySet<string>, signal: AbortSignal) => Promise<BackendsOfRoutes>;
}

export function extensionHooks({ discovery, readBackends }: ExtensionHooksOptions): ExtensionHooks {
  return {
    postRouteModify({ route, postRouteContext }) {
      const pools = (postRouteContext?.extensionResources ?? []).flatMap(({ unstructuredBytes }) => {
        const object = JSON.parse(new TextDecoder().decode(unstructuredBytes)) as InferencePoolObject;
        return isPool(object) ? [backendPool(object)] : [];
      });
      if (!route || pools.length === 0) return create(PostRouteModifyResponseSchema, route ? { route } : {});
      return create(PostRouteModifyResponseSchema, { route: stamped(route, pools) });
    },
    async postTranslateModify({ clusters, secrets, listeners, routes }, signal) {
      const backends = await readBackends(routesWithPools(routes), signal);
      const translated = translate({ clusters, listeners, routes }, backends, discovery());
      return create(PostTranslateModifyResponseSchema, {
        secrets,
        clusters: [...translated.clusters],
        listeners: [...translated.listeners],
        routes: [...translated.routes],
      });
    },
  };
}

function isPool({ kind, apiVersion }: InferencePoolObject): boolean {
  return kind === POOL_KIND && apiVersion.startsWith(`${POOL_GROUP}/`);
}
