import { ACCESS_LOG_FIELDS } from '../../envoy/access-log';
import type { Context } from '../context';
import { endpointType } from '../ingress/endpoint-type';
import { envoyService } from '../ingress/envoy-service';
import type { KubernetesObject } from '../kubernetes-object';
import { spread } from '../pods/placement';
import { RESTRICTED_POD } from '../pods/security';
import { bootstrapPatches } from './bootstrap-patches';
import { envoyResources, envoyWorkers } from './envoy-resources';
import { readOnlyRoot } from './read-only-root';

/**
 * A stopped Envoy takes nothing new and lets responses end for so long; those that generate on are cut then. Kubernetes
 * waits five minutes longer.
 */
const DRAIN_TIMEOUT = '300s';

/** Envoys are left by load balancers and kube-proxy within this time, which they go on serving. */
const LEAVE_TIME = '20s';

/** Labels of the Envoys of one gateway, as Envoy Gateway sets them. */
export function envoyPodLabels({ names, installation }: Context): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'envoy',
    'gateway.envoyproxy.io/owning-gateway-name': names.gateway,
    'gateway.envoyproxy.io/owning-gateway-namespace': installation.systemNamespace,
  };
}

/** How Envoy Gateway runs the Envoys of this gateway. */
export function envoyProxy(context: Context): KubernetesObject {
  const { config, installation, names, make } = context;
  const { envoy } = config.spec;
  return make(
    'gateway.envoyproxy.io/v1alpha1',
    'EnvoyProxy',
    { name: names.gateway, namespace: installation.systemNamespace },
    {
      spec: {
        ...(installation.ipFamily && { ipFamily: installation.ipFamily }),
        concurrency: envoyWorkers(envoy.resources),
        // The certificate by which routers know Envoy.
        backendTLS: { clientCertificateRef: { group: '', kind: 'Secret', name: names.envoyCertificate } },
        bootstrap: { type: 'JSONPatch', jsonPatches: bootstrapPatches() },
        // Nobody whom a policy refuses costs the router anything.
        filterOrder: [{ name: 'envoy.filters.http.rbac', before: 'envoy.filters.http.buffer' }],
        shutdown: { drainTimeout: DRAIN_TIMEOUT, minDrainDuration: LEAVE_TIME },
        telemetry: {
          accessLog: {
            settings: [
              {
                format: { type: 'JSON', json: ACCESS_LOG_FIELDS },
                sinks: [{ type: 'File', file: { path: '/dev/stdout' } }],
              },
            ],
          },
        },
        provider: {
          type: 'Kubernetes',
          kubernetes: {
            envoyDeployment: {
              name: names.envoy,
              strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
              pod: {
                securityContext: RESTRICTED_POD,
                ...(envoy.nodeSelector && { nodeSelector: envoy.nodeSelector }),
                ...(envoy.tolerations && { tolerations: envoy.tolerations }),
                ...(envoy.affinity && { affinity: envoy.affinity }),
                topologySpreadConstraints: spread(envoyPodLabels(context)),
                ...(installation.image.pullSecrets.length > 0 && {
                  imagePullSecrets: installation.image.pullSecrets.map((name) => ({ name })),
                }),
              },
              container: {
                ...(installation.envoyImage && { image: installation.envoyImage }),
                resources: envoyResources(envoy.resources),
              },
              patch: readOnlyRoot(),
            },
            envoyService: envoyService(context, endpointType(config)),
            envoyHpa: {
              name: names.envoy,
              minReplicas: envoy.minReplicas,
              maxReplicas: envoy.maxReplicas,
              metrics: [
                {
                  type: 'Resource',
                  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
                },
              ],
              // An Envoy that goes waits for its responses: one at a time, and not for a moment of quiet.
              behavior: {
                scaleDown: {
                  stabilizationWindowSeconds: 600,
                  policies: [{ type: 'Pods', value: 1, periodSeconds: 120 }],
                },
              },
            },
            envoyPDB: { name: names.envoy, maxUnavailable: 1 },
          },
        },
      },
    },
  );
}
