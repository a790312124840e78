import type { Cluster } from '../cluster';

/** The class that Envoy Gateway serves in an installation of the product. */
const GATEWAY_CLASS = 'inference-gateway';

/** A Gateway as anybody may have one: HTTP on port 80, for routes of every namespace. */
export const plainGateway = (name: string, namespace: string): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name, namespace },
  spec: {
    gatewayClassName: GATEWAY_CLASS,
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
  },
});

interface Backend {
  readonly pool?: string;
  readonly service?: string;
  readonly port?: number;
  readonly namespace?: string;
  readonly weight?: number;
}

/** An HTTPRoute of that Gateway, for the paths that begin so. */
export const poolRoute = (
  name: string,
  namespace: string,
  gateway: { readonly name: string; readonly namespace: string },
  backends: readonly Backend[],
  path = '/',
): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace },
  spec: {
    parentRefs: [gateway],
    rules: [{ matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: backends.map(backendRef) }],
  },
});

function backendRef({ pool, service, ...others }: Backend): object {
  if (pool === undefined) return { name: service, ...others };
  return { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: pool, ...others };
}

interface Status {
  readonly status?: { readonly addresses?: ReadonlyArray<{ readonly value: string }> };
}

/** Waits for the address of a Gateway. Answers `http://ADDRESS`. */
export async function addressOf(cluster: Cluster, name: string, namespace: string): Promise<string> {
  const path = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/${name}`;
  const value = await cluster.until(
    `an address of ${namespace}/${name}`,
    async () => (await cluster.client.get<Status>(path)).status?.addresses?.[0]?.value,
    { timeout: 120_000 },
  );
  return `http://${value}`;
}
