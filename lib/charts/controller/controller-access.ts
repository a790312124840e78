import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { CONTROLLER, LEASE, PART_OF } from '../names';
import { choose, unlessEmpty } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import { clusterRules, envoyRules, systemRules } from './permissions';

/** The controller's account, and what it may do. */
export class ControllerAccess extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    new ApiObject(this, 'ServiceAccount', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: CONTROLLER, namespace, labels: PART_OF, ...annotationsOf(values) },
      // Pods ask for a token by themselves.
      automountServiceAccountToken: false,
    });
    const subjects = [{ kind: 'ServiceAccount', name: CONTROLLER, namespace }];
    new k8s.KubeClusterRole(this, 'ClusterRole', {
      metadata: { name: CONTROLLER, labels: PART_OF },
      rules: clusterRules(),
    });
    new k8s.KubeClusterRoleBinding(this, 'ClusterRoleBinding', {
      metadata: { name: CONTROLLER, labels: PART_OF },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: CONTROLLER },
      subjects,
    });
    const envoyNamespace = choose(values.envoyGateway.namespace, values.envoyGateway.namespace, namespace);
    this.role('System', { name: CONTROLLER, namespace, labels: PART_OF }, systemRules(LEASE), subjects);
    this.role(
      'Envoy',
      { name: `${CONTROLLER}-envoy`, namespace: envoyNamespace, labels: PART_OF },
      envoyRules(),
      subjects,
    );
  }

  private role(id: string, metadata: RoleMetadata, rules: k8s.PolicyRule[], subjects: k8s.Subject[]): void {
    new k8s.KubeRole(this, `${id}Role`, { metadata, rules });
    new k8s.KubeRoleBinding(this, `${id}RoleBinding`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects,
    });
  }
}

function annotationsOf({ controller }: CompleteInstallValues): { readonly annotations?: Record<string, string> } {
  const annotations = unlessEmpty(controller.serviceAccount.annotations);
  return annotations === undefined ? {} : { annotations };
}

interface RoleMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
}
