import { contractFields } from './contract-fields';
import type { CrdUse } from './shipped-crd';

/**
 * What the gateway uses of each kind, by the name of its definition. The fields are those that not every release had,
 * and without which the gateway would be wrong rather than refused: an API server drops an unknown field of a write that
 * is not strict. Kinds that are not named here are only Envoy Gateway's: it leaves out what is not there.
 */
export const CRD_USES: Readonly<Record<string, CrdUse>> = {
  'gatewayclasses.gateway.networking.k8s.io': { version: 'v1', fields: ['spec.controllerName'] },
  'gateways.gateway.networking.k8s.io': {
    version: 'v1',
    fields: ['spec.infrastructure.parametersRef', 'spec.listeners.*.allowedRoutes.namespaces', 'spec.listeners.*.tls'],
  },
  'httproutes.gateway.networking.k8s.io': {
    version: 'v1',
    fields: ['spec.rules.*.matches.*.headers.*.value', 'spec.rules.*.filters.*.extensionRef'],
  },
  'referencegrants.gateway.networking.k8s.io': { version: 'v1beta1', fields: ['spec.from.*.namespace', 'spec.to'] },
  'backendtlspolicies.gateway.networking.k8s.io': {
    version: 'v1',
    fields: ['spec.validation.caCertificateRefs', 'spec.validation.hostname'],
  },
  'envoyproxies.gateway.envoyproxy.io': {
    version: 'v1alpha1',
    fields: [
      'spec.backendTLS.clientCertificateRef',
      'spec.bootstrap',
      'spec.filterOrder',
      'spec.provider.kubernetes.envoyDeployment',
      'spec.provider.kubernetes.envoyHpa',
      'spec.provider.kubernetes.envoyPDB',
      'spec.provider.kubernetes.envoyService',
      'spec.shutdown.drainTimeout',
    ],
  },
  'clienttrafficpolicies.gateway.envoyproxy.io': {
    version: 'v1alpha1',
    fields: [
      'spec.targetRefs',
      'spec.headers.earlyRequestHeaders.remove',
      'spec.headers.withUnderscoresAction',
      'spec.healthCheck.path',
    ],
  },
  'backendtrafficpolicies.gateway.envoyproxy.io': {
    version: 'v1alpha1',
    fields: [
      'spec.targetRefs',
      'spec.targetSelectors',
      'spec.loadBalancer.endpointOverride.extractFrom.*.header',
      'spec.mergeType',
      'spec.requestBuffer.limit',
      'spec.responseOverride.*.match.responseHeaders',
      'spec.responseOverride.*.source',
      'spec.retry.retryOn',
      'spec.timeout.http.requestTimeout',
      'spec.timeout.http.streamIdleTimeout',
    ],
  },
  'envoyextensionpolicies.gateway.envoyproxy.io': {
    version: 'v1alpha1',
    fields: [
      'spec.targetRefs',
      'spec.extProc.*.backendSettings.healthCheck.passive',
      'spec.extProc.*.backendSettings.retry',
      'spec.extProc.*.failOpen',
      'spec.extProc.*.messageTimeout',
      'spec.extProc.*.metadata.writableNamespaces',
      'spec.extProc.*.processingMode.allowModeOverride',
      'spec.extProc.*.processingMode.response.attributes',
    ],
  },
  'securitypolicies.gateway.envoyproxy.io': {
    version: 'v1alpha1',
    fields: [
      'spec.targetRefs',
      'spec.authorization.rules.*.principal.jwt.claims',
      'spec.jwt.providers.*.audiences',
      'spec.jwt.providers.*.claimToHeaders',
      'spec.jwt.providers.*.remoteJWKS.uri',
    ],
  },
  'httproutefilters.gateway.envoyproxy.io': { version: 'v1alpha1', fields: ['spec.directResponse.body'] },
  'inferencepools.inference.networking.k8s.io': {
    version: 'v1',
    fields: [
      'spec.appProtocol',
      'spec.endpointPickerRef.failureMode',
      'spec.endpointPickerRef.port.number',
      'spec.selector.matchLabels',
      'spec.targetPorts.*.number',
      'status.parents.*.conditions',
    ],
  },
  'inferenceobjectives.inference.networking.x-k8s.io': {
    version: 'v1alpha2',
    fields: ['spec.poolRef.name', 'spec.priority'],
  },
  'inferencemodelrewrites.inference.networking.x-k8s.io': {
    version: 'v1alpha2',
    fields: ['spec.poolRef.name', 'spec.rules.*.matches.*.model.value', 'spec.rules.*.targets.*.modelRewrite'],
  },
  'inferencegatewayconfigs.inference.sagemaker.aws.amazon.com': { version: 'v1alpha1', fields: contractFields() },
};
