import { AWS_NAMESPACE } from './aws-namespace';

export interface Config {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly schedulers: ReadonlyArray<{ readonly name: string }> };
}

export interface AwsObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: object;
}

const GATEWAY = 'gateway.networking.k8s.io/v1';

/** In the system namespace: what no owner takes along. */
export function sharedObjects({ metadata: { name } }: Config): readonly AwsObject[] {
  const metadata = { name, namespace: AWS_NAMESPACE };
  return [
    {
      apiVersion: 'gateway.envoyproxy.io/v1alpha1',
      kind: 'EnvoyProxy',
      metadata,
      spec: { provider: { type: 'Kubernetes', kubernetes: { envoyService: { type: 'ClusterIP' } } } },
    },
    {
      apiVersion: GATEWAY,
      kind: 'Gateway',
      metadata,
      spec: {
        gatewayClassName: 'inference-gateway',
        infrastructure: { parametersRef: { group: 'gateway.envoyproxy.io', kind: 'EnvoyProxy', name } },
        listeners: [{ name: 'http', protocol: 'HTTP', port: 80, allowedRoutes: { namespaces: { from: 'All' } } }],
      },
    },
    ...podsOf(`${name}-bbr`, AWS_NAMESPACE),
  ];
}

/** In the config's namespace, under the names of the published contract. Its own pools are out of reach: a Service stands in. */
export function modelObjects({ apiVersion, kind, metadata, spec }: Config): readonly AwsObject[] {
  const { name, namespace, uid } = metadata;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  const owned = (object: AwsObject) => ({ ...object, metadata: { ...object.metadata, ownerReferences } });
  return spec.schedulers
    .flatMap((scheduler): AwsObject[] => [
      pool(scheduler.name, namespace),
      route(scheduler.name, namespace, name, '/', scheduler.name),
      ...podsOf(`${scheduler.name}-epp`, namespace, `${scheduler.name}-epp-0a1b2c3d`),
    ])
    .concat(route(`${name}-health`, namespace, name, '/health', spec.schedulers[0]!.name))
    .map(owned);
}

function pool(name: string, namespace: string): AwsObject {
  const spec = {
    selector: { matchLabels: { app: name } },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: `${name}-epp`, port: { number: 9002 } },
  };
  const apiVersion = 'inference.networking.k8s.io/v1';
  return { apiVersion, kind: 'InferencePool', metadata: { name, namespace }, spec };
}

function route(name: string, namespace: string, gateway: string, value: string, backend: string): AwsObject {
  const spec = {
    parentRefs: [{ name: gateway, namespace: AWS_NAMESPACE }],
    rules: [{ matches: [{ path: { type: 'PathPrefix', value } }], backendRefs: [{ name: backend, port: 8000 }] }],
  };
  return { apiVersion: GATEWAY, kind: 'HTTPRoute', metadata: { name, namespace }, spec };
}

/** A Deployment whose pods do nothing, and its Service. */
function podsOf(app: string, namespace: string, deployment = app): AwsObject[] {
  const labels = { app };
  const containers = [{ name: 'main', image: 'test/nothing:v1' }];
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: deployment, namespace }, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: app, namespace },
      spec: { selector: labels, ports: [{ port: 9002 }] },
    },
  ];
}
