import type { k8s } from 'cdk8s-plus-28';
import { CRD_NAMES } from './crd-names';

/* What the controller may do. It makes Roles, and the API server lets it make only such as grant what it may do itself:
 * it has no `escalate` and no `bind`. */

const READ = ['get', 'list', 'watch'];
const MANAGE = [...READ, 'create', 'patch', 'delete'];

const OURS = 'inference.sagemaker.aws.amazon.com';

/** In every namespace, because a gateway may be in any. */
export function clusterRules(): k8s.PolicyRule[] {
  return [...gatewayRules(), ...objectRules(), ...poolRules(), ...definitionRules()];
}

/** What gateways are made from; routers and pickers read the same. */
function gatewayRules(): k8s.PolicyRule[] {
  return [
    // It updates where it takes off a finalizer that others have set too.
    { apiGroups: [OURS], resources: ['inferencegatewayconfigs'], verbs: [...READ, 'patch', 'update'] },
    { apiGroups: [OURS], resources: ['inferencegatewayconfigs/status'], verbs: ['patch'] },
    // Owner references that hold up the owner's deletion need it.
    { apiGroups: [OURS], resources: ['inferencegatewayconfigs/finalizers'], verbs: ['update'] },
    { apiGroups: [''], resources: ['pods'], verbs: READ },
    {
      apiGroups: ['inference.networking.x-k8s.io', 'llm-d.ai'],
      resources: ['inferencemodelrewrites', 'inferenceobjectives'],
      verbs: READ,
    },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}

/** What it makes. */
function objectRules(): k8s.PolicyRule[] {
  return [
    { apiGroups: [''], resources: ['configmaps', 'serviceaccounts', 'services'], verbs: MANAGE },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: MANAGE },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: MANAGE },
    { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: MANAGE },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: MANAGE },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings', 'roles'], verbs: MANAGE },
    { apiGroups: ['inference.networking.k8s.io'], resources: ['inferencepools'], verbs: MANAGE },
    { apiGroups: ['gateway.networking.k8s.io'], resources: ['httproutes'], verbs: MANAGE },
    {
      apiGroups: ['gateway.envoyproxy.io'],
      resources: ['backendtrafficpolicies', 'envoyextensionpolicies', 'httproutefilters', 'securitypolicies'],
      verbs: MANAGE,
    },
    // The certificates of pickers, by name: no Secret outside the system namespace can be listed, or deleted.
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch'] },
  ];
}

/**
 * By which Gateways requests reach an InferencePool, in whatever namespace they are, and its status, which says so. Routes,
 * Services and pools themselves are read as what it makes is.
 */
function poolRules(): k8s.PolicyRule[] {
  return [
    {
      apiGroups: ['gateway.networking.k8s.io'],
      resources: ['gatewayclasses', 'gateways', 'listenersets', 'referencegrants'],
      verbs: READ,
    },
    { apiGroups: ['inference.networking.k8s.io'], resources: ['inferencepools/status'], verbs: ['patch'] },
  ];
}

/** What the whole cluster has once. A name cannot be asked for where an object is created. */
function definitionRules(): k8s.PolicyRule[] {
  const named = (group: string, resource: string, names: readonly string[], verbs: readonly string[]) => [
    { apiGroups: [group], resources: [resource], verbs: ['create'] },
    { apiGroups: [group], resources: [resource], resourceNames: [...names], verbs: [...verbs] },
  ];
  return [
    ...named('gateway.networking.k8s.io', 'gatewayclasses', ['inference-gateway'], ['patch']),
    ...named('apiextensions.k8s.io', 'customresourcedefinitions', CRD_NAMES, ['get', 'patch']),
  ];
}

/** In the namespace of the installation. */
export function systemRules(lease: string): k8s.PolicyRule[] {
  return [
    { apiGroups: [''], resources: ['secrets'], verbs: MANAGE },
    {
      apiGroups: ['gateway.networking.k8s.io'],
      resources: ['backendtlspolicies', 'gateways', 'referencegrants'],
      verbs: MANAGE,
    },
    { apiGroups: ['gateway.envoyproxy.io'], resources: ['clienttrafficpolicies', 'envoyproxies'], verbs: MANAGE },
    { apiGroups: ['cert-manager.io'], resources: ['certificates', 'issuers'], verbs: MANAGE },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [lease], verbs: ['get', 'update'] },
  ];
}

/** In the namespace of the Envoys: the load balancer is bound to their Service there. */
export function envoyRules(): k8s.PolicyRule[] {
  return [
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: MANAGE },
    { apiGroups: ['elbv2.k8s.aws'], resources: ['targetgroupbindings'], verbs: MANAGE },
  ];
}
