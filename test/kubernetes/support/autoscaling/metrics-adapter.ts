import { createServer } from 'node:https';
import { join } from 'node:path';
import { NODE_IP } from '../addresses';
import type { Cluster } from '../cluster';
import { selfSigned } from '../self-signed';
import type { Prometheus } from './prometheus';
import { serviceHere } from './service-here';

const GROUP = 'external.metrics.k8s.io';
const VERSION = 'v1beta1';
const NAMESPACE = 'monitoring';
const PORT = 6_443 + 1;

/** Values of the Prometheus adapter's chart. */
export interface AdapterValues {
  readonly rules: {
    readonly external: ReadonlyArray<{ readonly name: { readonly as: string }; readonly metricsQuery: string }>;
  };
}

/**
 * Stands in for the Prometheus adapter: serves, behind the real API server, the external metrics that its rules name, for
 * the real controller of HorizontalPodAutoscalers.
 */
export async function startMetricsAdapter(
  cluster: Cluster,
  prometheus: Prometheus,
  { rules }: AdapterValues,
): Promise<{ close(): Promise<void> }> {
  const { certificate, key } = await selfSigned(join(cluster.logs, 'metrics-adapter'), [NODE_IP]);
  const metrics = new Map(rules.external.map(({ name, metricsQuery }) => [name.as, metricsQuery]));
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://here');
    const body = answer(pathname, metrics, prometheus);
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(PORT, NODE_IP, resolve));
  await cluster.apply([
    ...serviceHere({ name: 'prometheus-adapter', namespace: NAMESPACE, port: 443, target: PORT }),
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${VERSION}.${GROUP}` },
      spec: {
        group: GROUP,
        version: VERSION,
        service: { name: 'prometheus-adapter', namespace: NAMESPACE },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  ]);
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(path: string, metrics: ReadonlyMap<string, string>, prometheus: Prometheus): object | undefined {
  const base = `/apis/${GROUP}/${VERSION}`;
  const apiVersion = `${GROUP}/${VERSION}`;
  if (path === base) {
    const resources = [...metrics.keys()].map((name) => ({
      ...{ name, singularName: '', namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] },
    }));
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources };
  }
  const [, name] = /^\/namespaces\/[^/]+\/([^/]+)$/.exec(path.slice(base.length)) ?? [];
  const query = metrics.get(name ?? '');
  if (name === undefined || query === undefined) return undefined;
  const value = prometheus.query(query);
  const timestamp = new Date().toISOString();
  const items =
    value === undefined
      ? []
      : [{ metricName: name, metricLabels: {}, timestamp, value: `${Math.round(value * 1000)}m` }];
  return { kind: 'ExternalMetricValueList', apiVersion, metadata: {}, items };
}
