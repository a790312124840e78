import type { ClusterAccess, Credentials } from '../../../runtime/kubernetes/access';
import { createHttpApiClient, type HttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import type { ApiAccess } from './api/request';

/** The access of the product. `user`: acts as this user, not as the administrator that `access` is. */
export function accessAs({ server, ca, token }: ApiAccess, user?: string): ClusterAccess {
  const credentials: Credentials = {
    headers: { authorization: `Bearer ${token}`, ...(user !== undefined && { 'impersonate-user': user }) },
    connection: { tls: { ca }, proxy: undefined },
  };
  return { server, namespace: undefined, credentials: async () => credentials };
}

/** The API client of the product. */
export function connect(access: ApiAccess, user?: string): HttpApiClient {
  return createHttpApiClient({ access: accessAs(access, user), random: Math.random });
}
