import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { ENVOY_GATEWAY, ENVOYS, PART_OF } from '../names';
import { metricsReaders, networkPolicy } from '../network-policy';
import { disruptionLimits } from '../pods';
import { conditionalScope } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import { gatewayDeployment, selectorOf } from './gateway-deployment';
import { type RenderedObject, renderedObjects } from './rendered-objects';
import { SERVER_CONFIG, serverConfig } from './server-config';

/** Envoy's, for its configuration and for Wasm modules. */
const ENVOY_PORTS = [18000, 18002];
const METRICS_PORT = 19001;

/** Envoy Gateway, as its own chart has it, with what an installation says. */
export class EnvoyGateway extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    const objects = renderedObjects(namespace);
    for (const object of objects) {
      const { metadata, ...fields } = adapted(object, namespace, values);
      new ApiObject(this, `${object.kind}-${object.metadata.name}`, {
        ...fields,
        metadata: { ...metadata, labels: { ...metadata.labels, ...PART_OF } },
      });
    }
    readsInferencePools(this, namespace);
    const selector = selectorOf(objects);
    const metadata = { name: ENVOY_GATEWAY, namespace, labels: { ...selector, ...PART_OF } };
    new k8s.KubePodDisruptionBudget(this, 'PodDisruptionBudget', {
      metadata,
      spec: disruptionLimits(selector),
    });
    const policies = conditionalScope(this, 'NetworkPolicies', values.networkPolicy.enabled);
    if (policies === undefined) return;
    networkPolicy(policies, 'EnvoyGateway', {
      ...metadata,
      selector,
      ingress: [
        { ports: ENVOY_PORTS, peers: [{ podSelector: { matchLabels: ENVOYS } }] },
        { ports: [METRICS_PORT], peers: metricsReaders(values) },
      ],
    });
  }
}

function adapted(object: RenderedObject, namespace: string, values: CompleteInstallValues): RenderedObject {
  switch (object.kind) {
    case 'Deployment':
      return gatewayDeployment(object, values);
    case 'ConfigMap': {
      const { data } = object as RenderedObject & { readonly data: Readonly<Record<string, string>> };
      const file = 'envoy-gateway.yaml';
      return {
        ...object,
        metadata: { ...object.metadata, name: SERVER_CONFIG },
        data: { [file]: serverConfig(data[file] ?? '', namespace, values) },
      };
    }
    default:
      return object;
  }
}

/** Beside what its own chart lets it read: the kind that the controller makes a backend. */
function readsInferencePools(scope: Construct, namespace: string): void {
  const metadata = { name: `inference-gateway-${ENVOY_GATEWAY}-inference-pools`, labels: PART_OF };
  new k8s.KubeClusterRole(scope, 'InferencePoolsRole', {
    metadata,
    rules: [
      { apiGroups: ['inference.networking.k8s.io'], resources: ['inferencepools'], verbs: ['get', 'list', 'watch'] },
    ],
  });
  new k8s.KubeClusterRoleBinding(scope, 'InferencePoolsRoleBinding', {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: ENVOY_GATEWAY, namespace }],
  });
}
