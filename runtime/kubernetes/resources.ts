import type { Resource } from './api-client';

/** By `group/version`: each kind, its plural, and whether it is of the whole cluster. */
const GROUPS: Readonly<Record<string, readonly (readonly [kind: string, plural: string, scope?: 'cluster'])[]>> = {
  '/v1': [
    ['Pod', 'pods'],
    ['Service', 'services'],
    ['ConfigMap', 'configmaps'],
    ['Secret', 'secrets'],
    ['ServiceAccount', 'serviceaccounts'],
    ['Event', 'events'],
    ['Namespace', 'namespaces', 'cluster'],
    ['Node', 'nodes', 'cluster'],
  ],
  'events.k8s.io/v1': [['Event', 'events']],
  'apps/v1': [
    ['Deployment', 'deployments'],
    ['ReplicaSet', 'replicasets'],
  ],
  'autoscaling/v2': [['HorizontalPodAutoscaler', 'horizontalpodautoscalers']],
  'policy/v1': [['PodDisruptionBudget', 'poddisruptionbudgets']],
  'networking.k8s.io/v1': [
    ['NetworkPolicy', 'networkpolicies'],
    ['Ingress', 'ingresses'],
  ],
  'discovery.k8s.io/v1': [['EndpointSlice', 'endpointslices']],
  'coordination.k8s.io/v1': [['Lease', 'leases']],
  'rbac.authorization.k8s.io/v1': [
    ['Role', 'roles'],
    ['RoleBinding', 'rolebindings'],
    ['ClusterRole', 'clusterroles', 'cluster'],
    ['ClusterRoleBinding', 'clusterrolebindings', 'cluster'],
  ],
  'apiextensions.k8s.io/v1': [['CustomResourceDefinition', 'customresourcedefinitions', 'cluster']],
  'admissionregistration.k8s.io/v1': [
    ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'cluster'],
    ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', 'cluster'],
  ],
  'gateway.networking.k8s.io/v1': [
    ['GatewayClass', 'gatewayclasses', 'cluster'],
    ['Gateway', 'gateways'],
    ['ListenerSet', 'listenersets'],
    ['HTTPRoute', 'httproutes'],
    ['BackendTLSPolicy', 'backendtlspolicies'],
    ['ReferenceGrant', 'referencegrants'],
  ],
  'gateway.networking.k8s.io/v1beta1': [['ReferenceGrant', 'referencegrants']],
  'gateway.envoyproxy.io/v1alpha1': [
    ['Backend', 'backends'],
    ['BackendTrafficPolicy', 'backendtrafficpolicies'],
    ['ClientTrafficPolicy', 'clienttrafficpolicies'],
    ['EnvoyExtensionPolicy', 'envoyextensionpolicies'],
    ['EnvoyPatchPolicy', 'envoypatchpolicies'],
    ['EnvoyProxy', 'envoyproxies'],
    ['HTTPRouteFilter', 'httproutefilters'],
    ['SecurityPolicy', 'securitypolicies'],
  ],
  'inference.networking.k8s.io/v1': [['InferencePool', 'inferencepools']],
  'inference.networking.x-k8s.io/v1alpha2': [
    ['InferenceObjective', 'inferenceobjectives'],
    ['InferenceModelRewrite', 'inferencemodelrewrites'],
  ],
  'llm-d.ai/v1alpha2': [
    ['InferenceObjective', 'inferenceobjectives'],
    ['InferenceModelRewrite', 'inferencemodelrewrites'],
  ],
  'inference.sagemaker.aws.amazon.com/v1alpha1': [['InferenceGatewayConfig', 'inferencegatewayconfigs']],
  'cert-manager.io/v1': [
    ['Certificate', 'certificates'],
    ['Issuer', 'issuers'],
    ['ClusterIssuer', 'clusterissuers', 'cluster'],
  ],
  'elbv2.k8s.aws/v1beta1': [['TargetGroupBinding', 'targetgroupbindings']],
};

/** Every kind of object that the gateway reads or writes at the API server. */
export const RESOURCES: readonly Resource[] = Object.entries(GROUPS).flatMap(([groupVersion, kinds]) => {
  const [group = '', version = ''] = groupVersion.split('/');
  return kinds.map(([kind, plural, scope]) => ({ group, version, kind, plural, namespaced: scope !== 'cluster' }));
});

const BY_KIND: ReadonlyMap<string, Resource> = new Map(
  RESOURCES.map((resource) => {
    const { group, version, kind } = resource;
    return [`${group === '' ? version : `${group}/${version}`} ${kind}`, resource];
  }),
);

/** `apiVersion` and `kind` as objects have them. Throws for a kind that the gateway has nothing to do with. */
export function resourceOf(apiVersion: string, kind: string): Resource {
  const resource = BY_KIND.get(`${apiVersion} ${kind}`);
  if (resource === undefined) throw new TypeError(`${apiVersion} ${kind} is not a kind that the gateway knows`);
  return resource;
}
