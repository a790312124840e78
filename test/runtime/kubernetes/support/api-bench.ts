import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { ApiError } from '../../../../runtime/kubernetes/api-error';
import {
  createHttpApiClient,
  type HttpApiClient,
  type HttpApiClientOptions,
} from '../../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import type { FakeApiServer } from '../../../support/fake-api-server/fake-api-server';

export const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');

export function connectTo(server: FakeApiServer, options: Partial<HttpApiClientOptions> = {}): HttpApiClient {
  return createHttpApiClient({ access: server.access, random: () => 0.5, ...options });
}

export function configMap(name: string, data: Record<string, string> = {}, namespace = 'team'): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`not rejected with an ApiError: ${error}`);
  return error;
}
