import { join } from 'node:path';
import { bundledImage } from '../bundled-image';
import type { ProgramImage } from '../kubelet/images';
import { type PoolOptions, pickerName, poolObjects } from './pool-objects';

const PICKER_IMAGE = 'pools/told-picker';
const PICKER_PORT = 9002;

interface Name {
  readonly name: string;
  readonly namespace: string;
}

/** The program that the picker of a told pool runs. */
export async function toldPickerImage(): Promise<Readonly<Record<string, ProgramImage>>> {
  return { [PICKER_IMAGE]: await bundledImage(join(__dirname, 'gateways-picker.ts')) };
}

/** A pool with its pods, the picker of which does what requests tell it. */
export function toldPool(options: PoolOptions): object[] {
  const { namespace } = options;
  const [pods, pool] = poolObjects(options);
  const name = pickerName(options);
  const ports = [{ port: PICKER_PORT, appProtocol: 'kubernetes.io/h2c' }];
  const containers = [
    {
      name: 'picker',
      image: PICKER_IMAGE,
      args: [`${PICKER_PORT}`],
      readinessProbe: { tcpSocket: { port: PICKER_PORT }, periodSeconds: 1 },
    },
  ];
  return [
    pods!,
    pool!,
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { selector: { app: name }, ports } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 1, containers } },
      },
    },
  ];
}

interface Listener {
  readonly name: string;
  readonly port: number;
  readonly hostname?: string;
  /** A Secret with a certificate: HTTPS. */
  readonly certificate?: string;
}

/** A Gateway with these listeners, for routes of every namespace. */
export const gatewayOf = ({ name, namespace }: Name, gatewayClassName: string, ...listeners: Listener[]): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name, namespace },
  spec: {
    gatewayClassName,
    listeners: listeners.map(({ certificate, ...others }) => ({
      ...others,
      allowedRoutes: { namespaces: { from: 'All' } },
      ...(certificate === undefined
        ? { protocol: 'HTTP' }
        : { protocol: 'HTTPS', tls: { certificateRefs: [{ name: certificate }] } }),
    })),
  },
});

/** A class of the installation's Envoy Gateway, whose Gateways are served by the same Envoys. */
export const mergedClass = (name: string, namespace: string): object[] => [
  {
    apiVersion: 'gateway.envoyproxy.io/v1alpha1',
    kind: 'EnvoyProxy',
    metadata: { name, namespace },
    spec: { mergeGateways: true },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name },
    spec: {
      controllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
      parametersRef: { group: 'gateway.envoyproxy.io', kind: 'EnvoyProxy', name, namespace },
    },
  },
];

export const poolRef = (name: string, more: object = {}): object => ({
  ...{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name },
  ...more,
});

/** A route of any kind with one rule. */
export const routeOf = (kind: 'HTTPRoute' | 'GRPCRoute', { name, namespace }: Name, gateway: Name, rule: object) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind,
  metadata: { name, namespace },
  spec: { parentRefs: [{ name: gateway.name, namespace: gateway.namespace }], rules: [rule] },
});

/** Routes that name pools, and a Service, and cannot lead to the pools. */
export function vainRoutes(namespace: string, gateway: Name): object[] {
  const vain = (kind: 'HTTPRoute' | 'GRPCRoute', name: string, rule: object) =>
    routeOf(kind, { name: `${gateway.name}-${name}`, namespace }, gateway, rule);
  const path = (value: string) => ({ matches: [{ path: { type: 'PathPrefix', value } }] });
  const method = (name: string) => ({ matches: [{ method: { service: 'test.Test', method: name } }] });
  const filters = [{ type: 'RequestMirror', requestMirror: { backendRef: poolRef('alpha') } }];
  const beside = { name: 'service', port: 80 };
  return [
    vain('HTTPRoute', 'missing', { ...path('/missing'), backendRefs: [poolRef('missing')] }),
    vain('HTTPRoute', 'mirrored', { ...path('/mirrored'), filters, backendRefs: [beside] }),
    vain('HTTPRoute', 'weightless', { ...path('/weightless'), backendRefs: [poolRef('alpha', { weight: 0 })] }),
    vain('GRPCRoute', 'one', { ...method('One'), backendRefs: [poolRef('alpha')] }),
    vain('GRPCRoute', 'two', { ...method('Two'), backendRefs: [poolRef('alpha', { weight: 2 }), poolRef('told')] }),
    vain('GRPCRoute', 'beside', { ...method('Beside'), backendRefs: [poolRef('alpha'), beside] }),
    vain('GRPCRoute', 'lost', { ...method('Lost'), backendRefs: [poolRef('missing'), poolRef('alpha')] }),
  ];
}
