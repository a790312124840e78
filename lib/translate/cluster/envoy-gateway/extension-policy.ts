import { ANSWER_MS, RESPONSE_ATTRIBUTES } from '../../envoy/listener';
import { type Context, target } from '../context';
import { gatewayDuration } from '../durations';
import type { KubernetesObject } from '../kubernetes-object';
import { PORTS } from '../names';
import { routerTraffic } from './traffic-settings';

/** One filter for all routes: the body crosses the process boundary once, and Envoy balances alone when no router answers. */
export function extensionPolicy({ installation, names, longestHoldMs, make }: Context): KubernetesObject {
  return make(
    'gateway.envoyproxy.io/v1alpha1',
    'EnvoyExtensionPolicy',
    { name: names.gateway, namespace: installation.systemNamespace },
    {
      spec: {
        targetRefs: [target('Gateway', names.gateway)],
        extProc: [
          {
            backendRefs: [{ group: '', kind: 'Service', name: names.router, port: PORTS.router }],
            failOpen: true,
            messageTimeout: gatewayDuration(longestHoldMs + ANSWER_MS),
            metadata: { writableNamespaces: ['envoy.lb'] },
            processingMode: {
              allowModeOverride: true,
              request: { body: 'Buffered' },
              response: { attributes: RESPONSE_ATTRIBUTES },
            },
            backendSettings: routerTraffic(),
          },
        ],
      },
    },
  );
}

/** TLS from Envoy to the routers. The Secret has the authority of the connections inside too. */
export function routerTlsPolicy({ installation, names, make }: Context): KubernetesObject {
  return make(
    'gateway.networking.k8s.io/v1',
    'BackendTLSPolicy',
    { name: names.router, namespace: installation.systemNamespace },
    {
      spec: {
        targetRefs: [{ group: '', kind: 'Service', name: names.router }],
        validation: {
          caCertificateRefs: [{ group: '', kind: 'Secret', name: names.envoyCertificate }],
          hostname: `${names.router}.${installation.systemNamespace}.svc`,
        },
      },
    },
  );
}
