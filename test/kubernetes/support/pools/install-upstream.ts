import { stringify } from 'yaml';
import { toolPath } from '../../tools/tools-folder';
import type { Cluster } from '../cluster';
import { typed } from '../documented-commands';
import { ROOT } from '../standard-images';
import { plainGateway } from './plain-gateway';

/** Where upstream's instructions install Envoy Gateway. */
export const UPSTREAM_NAMESPACE = 'envoy-gateway-system';
/** The class that they make. */
const CLASS = 'eg';

const RELEASE = `eg ${toolPath('gateway-helm')} --namespace ${UPSTREAM_NAMESPACE} --wait`;

/** Installs Envoy Gateway by its own chart, with its hooks and its definitions, as its users do. */
export async function installUpstream(cluster: Cluster): Promise<void> {
  await typed(cluster, ROOT, `helm install ${RELEASE} --create-namespace`);
  await cluster.apply({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: CLASS },
    spec: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
  });
}

/** As `plainGateway`, of that Envoy Gateway. */
export function upstreamGateway(name: string, namespace: string): object {
  const gateway = plainGateway(name, namespace) as { readonly spec: object };
  return { ...gateway, spec: { ...gateway.spec, gatewayClassName: CLASS } };
}

/** Adds to its configuration, by the values of its chart. */
export async function configureUpstream(cluster: Cluster, settings: object): Promise<void> {
  const values = stringify({ config: { envoyGateway: settings } });
  await typed(cluster, ROOT, `helm upgrade ${RELEASE} --reuse-values --values - <<'END'\n${values}END`);
}
