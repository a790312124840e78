import { parse, stringify } from 'yaml';
import { GATEWAY_MESSAGE_MIB, INFERENCE_POOL_SECRETS, PORTS } from '../../translate/cluster/names';
import { imageOf } from '../images';
import { CONTROLLER } from '../names';
import type { CompleteInstallValues } from '../values/install-values';

/**
 * The ConfigMap that it is in. Not Envoy Gateway's own name for it: it reads its file again as it changes, and one of a release
 * for which InferencePools were no backends would go on with nothing until it found Secrets that its own pods do not wait for.
 */
export const SERVER_CONFIG = 'envoy-gateway-config-2';

/** Envoy Gateway's configuration file: as its chart has it, with the images and names of the installation. */
export function serverConfig(rendered: string, namespace: string, values: CompleteInstallValues): string {
  const config = parse(rendered) as Record<string, unknown>;
  const { controllerName, logLevel } = values.envoyGateway;
  return stringify(
    {
      ...config,
      gateway: { controllerName },
      logging: { level: { default: logLevel } },
      extensionManager: extensionManager(namespace, values),
      // No rate limit service: no gateway of ours asks for one.
      provider: { type: 'Kubernetes', kubernetes: { shutdownManager: { image: imageOf('envoyGateway', values) } } },
    },
    // In quotes, so that the text is the same whether a string is known now or later.
    { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 },
  );
}

/** The controller makes InferencePools backends. While it cannot be asked, Envoys keep the configuration that they have. */
function extensionManager(namespace: string, { clusterDomain }: CompleteInstallValues) {
  const all = { includeAll: true };
  return {
    backendResources: [{ group: 'inference.networking.k8s.io', version: 'v1', kind: 'InferencePool' }],
    hooks: {
      xdsTranslator: {
        post: ['Route', 'Translation'],
        // Not the keys of certificates: nothing is changed about them.
        translation: { listener: all, route: all, cluster: all, secret: { includeAll: false } },
      },
    },
    service: {
      fqdn: { hostname: `${CONTROLLER}.${namespace}.svc.${clusterDomain}`, port: PORTS.inferencePools },
      tls: {
        certificateRef: { name: INFERENCE_POOL_SECRETS.ca },
        clientCertificateRef: { name: INFERENCE_POOL_SECRETS.envoyGateway },
      },
    },
    failOpen: false,
    maxMessageSize: `${GATEWAY_MESSAGE_MIB}Mi`,
  };
}
