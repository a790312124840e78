import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { Controller } from './controller/controller';
import { EnvoyGateway } from './envoy-gateway/envoy-gateway';
import { PART_OF } from './names';
import { conditionalScope } from './template/choice';
import type { CompleteInstallValues } from './values/install-values';

/** What pods of the namespace must be like. */
const POD_SECURITY = { 'pod-security.kubernetes.io/enforce': 'restricted' };

/** All objects of an installation; each child is a file of the Helm chart. Values may be known or stand-ins for what Helm fills in. */
export class Installation extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    const creation = conditionalScope(this, 'namespace', values.namespace.create);
    if (creation !== undefined) {
      new k8s.KubeNamespace(creation, 'Namespace', {
        metadata: { name: namespace, labels: { ...PART_OF, ...POD_SECURITY } },
      });
    }
    new Controller(this, 'controller', namespace, values);
    const own = conditionalScope(this, 'envoy-gateway', values.envoyGateway.enabled);
    if (own !== undefined) new EnvoyGateway(own, 'EnvoyGateway', namespace, values);
  }
}
