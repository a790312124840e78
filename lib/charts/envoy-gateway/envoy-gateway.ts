import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { ENVOY_GATEWAY, PART_OF } from '../names';
import { metricsReaders, networkPolicy } from '../network-policy';
import { disruptionLimits } from '../pods';
import { conditionalScope } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import { gatewayDeployment, selectorOf } from './gateway-deployment';
import { type RenderedObject, renderedObjects } from './rendered-objects';
import { serverConfig } from './server-config';

/** Envoy's, for its configuration and for Wasm modules. */
const ENVOY_PORTS = [18000, 18002];
const METRICS_PORT = 19001;

/** Labels of every Envoy that Envoy Gateway runs. */
const ENVOYS = { 'app.kubernetes.io/managed-by': 'envoy-gateway', 'app.kubernetes.io/component': 'proxy' };

/** Envoy Gateway, as its own chart has it, with what an installation says. */
export class EnvoyGateway extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    const objects = renderedObjects(namespace);
    for (const object of objects) {
      const { metadata, ...fields } = adapted(object, values);
      new ApiObject(this, `${object.kind}-${object.metadata.name}`, {
        ...fields,
        metadata: { ...metadata, labels: { ...metadata.labels, ...PART_OF } },
      });
    }
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

function adapted(object: RenderedObject, values: CompleteInstallValues): RenderedObject {
  switch (object.kind) {
    case 'Deployment':
      return gatewayDeployment(object, values);
    case 'ConfigMap': {
      const { data } = object as RenderedObject & { readonly data: Readonly<Record<string, string>> };
      const file = 'envoy-gateway.yaml';
      return { ...object, data: { [file]: serverConfig(data[file] ?? '', values) } };
    }
    default:
      return object;
  }
}
