import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { belongingLabels, GATEWAY_CLASS, INSTALLATION_LABEL, MANAGED_BY_LABEL, MANAGER } from '../names';

/** One for all gateways: it carries no gateway's labels, but the mark of the installation. */
export function gatewayClass({ installation }: Pick<Context, 'installation'>): KubernetesObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: {
      name: GATEWAY_CLASS,
      labels: { [MANAGED_BY_LABEL]: MANAGER, [INSTALLATION_LABEL]: installation.systemNamespace },
    },
    spec: { controllerName: installation.gatewayControllerName },
  };
}

/** HTTPS only. Routes of no other namespace may attach: they would be behind this gateway's certificate. */
export function gateway({ config, installation, names, namespace, make }: Context): KubernetesObject {
  return make(
    'gateway.networking.k8s.io/v1',
    'Gateway',
    { name: names.gateway, namespace: installation.systemNamespace },
    {
      spec: {
        gatewayClassName: GATEWAY_CLASS,
        infrastructure: {
          // On the Envoys and their Service too, so that they are found.
          labels: belongingLabels(config),
          parametersRef: { group: 'gateway.envoyproxy.io', kind: 'EnvoyProxy', name: names.gateway },
        },
        listeners: [
          {
            name: 'https',
            protocol: 'HTTPS',
            port: 443,
            tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret', name: names.certificate }] },
            allowedRoutes: {
              kinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }],
              namespaces: {
                from: 'Selector',
                selector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
              },
            },
          },
        ],
      },
    },
  );
}
