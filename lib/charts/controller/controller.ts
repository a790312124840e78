import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { PORTS } from '../../translate/cluster/names';
import { CONTROLLER, ENVOY_GATEWAYS, ENVOYS, INFERENCE_POOLS_PORT, METRICS_PORT, PART_OF } from '../names';
import { metricsReaders, networkPolicy } from '../network-policy';
import { disruptionLimits } from '../pods';
import { conditionalScope } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import { ControllerAccess } from './controller-access';
import { ControllerDeployment } from './controller-deployment';
import { CONTROLLER_SELECTOR } from './controller-selector';

/** The controller: pods, account, permissions, and who may connect to it. */
export class Controller extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    const metadata = { name: CONTROLLER, namespace, labels: { ...CONTROLLER_SELECTOR, ...PART_OF } };
    new ControllerAccess(this, 'Access', namespace, values);
    new ControllerDeployment(this, 'Pods', namespace, values);
    new k8s.KubePodDisruptionBudget(this, 'PodDisruptionBudget', {
      metadata,
      spec: disruptionLimits(CONTROLLER_SELECTOR),
    });
    new k8s.KubeService(this, 'Service', {
      metadata,
      spec: {
        type: 'ClusterIP',
        selector: CONTROLLER_SELECTOR,
        ports: [
          { name: 'metrics', port: METRICS_PORT, targetPort: k8s.IntOrString.fromString('metrics') },
          {
            name: INFERENCE_POOLS_PORT,
            port: PORTS.inferencePools,
            targetPort: k8s.IntOrString.fromString(INFERENCE_POOLS_PORT),
          },
        ],
      },
    });
    const policies = conditionalScope(this, 'NetworkPolicies', values.networkPolicy.enabled);
    if (policies === undefined) return;
    networkPolicy(policies, 'Controller', {
      ...metadata,
      selector: CONTROLLER_SELECTOR,
      ingress: [
        { ports: [METRICS_PORT], peers: metricsReaders(values) },
        { ports: [PORTS.inferencePools], peers: anywhere(ENVOY_GATEWAYS, ENVOYS) },
      ],
    });
  }
}

/** Pods with any of these labels, whatever their namespace: Envoys of Gateways may run in those of their Gateways. */
function anywhere(...labels: readonly Readonly<Record<string, string>>[]) {
  return labels.map((matchLabels) => ({ namespaceSelector: {}, podSelector: { matchLabels } }));
}
