import type { Context } from '../context';
import { envoyPodLabels } from '../envoy-gateway/envoy-proxy';
import type { KubernetesObject } from '../kubernetes-object';
import { COMPONENT_LABEL, gatewayLabels, PORTS } from '../names';
import { routerPodLabels } from './router-objects';

/** Envoy's own ports: what Envoy Gateway makes of 443, and the page of its metrics. */
const ENVOY_PORTS = { https: 10_443, metrics: 19_001 } as const;

/** Labels of the pickers of all schedulers of a gateway. */
function pickersLabels({ config }: Context): Readonly<Record<string, string>> {
  return { [COMPONENT_LABEL]: 'picker', ...gatewayLabels(config) };
}

/** Who may connect to the pods of a gateway. They select these pods alone; of model pods they say nothing. */
export function networkPolicies(context: Context): KubernetesObject[] {
  const { installation, namespace, names } = context;
  const envoys = podsIn(installation.envoyNamespace, envoyPodLabels(context));
  const routers = podsIn(installation.systemNamespace, routerPodLabels(context));
  const metrics = { from: metricsReaders(context), ports: [tcp(PORTS.metrics)] };
  return [
    policy(context, { name: names.router, namespace: installation.systemNamespace }, routerPodLabels(context), [
      { from: [envoys], ports: [tcp(PORTS.router)] },
      metrics,
    ]),
    policy(context, { name: names.pickers, namespace }, pickersLabels(context), [
      { from: [routers], ports: [tcp(PORTS.picker)] },
      // Other gateways ask pickers by the protocol of the inference extension; Envoys are what asks.
      { from: [podsIn(installation.envoyNamespace, ENVOY_PODS)], ports: [tcp(PORTS.endpointPicker)] },
      metrics,
    ]),
    policy(context, { name: names.envoy, namespace: installation.envoyNamespace }, envoyPodLabels(context), [
      { ports: [tcp(ENVOY_PORTS.https)] },
      { ...metrics, ports: [tcp(ENVOY_PORTS.metrics)] },
    ]),
  ];
}

/** Those of any gateway of Envoy Gateway. */
const ENVOY_PODS = { 'app.kubernetes.io/name': 'envoy', 'app.kubernetes.io/managed-by': 'envoy-gateway' };

function policy(
  { make }: Context,
  place: { readonly name: string; readonly namespace: string },
  matchLabels: Readonly<Record<string, string>>,
  ingress: readonly unknown[],
): KubernetesObject {
  return make('networking.k8s.io/v1', 'NetworkPolicy', place, {
    spec: { podSelector: { matchLabels }, policyTypes: ['Ingress'], ingress },
  });
}

function podsIn(namespace: string, matchLabels: Readonly<Record<string, string>>) {
  return { ...namespaced(namespace), podSelector: { matchLabels } };
}

function metricsReaders({ installation: { monitoringNamespace } }: Context) {
  return [monitoringNamespace === undefined ? { namespaceSelector: {} } : namespaced(monitoringNamespace)];
}

function namespaced(name: string) {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } };
}

function tcp(port: number) {
  return { port, protocol: 'TCP' };
}
