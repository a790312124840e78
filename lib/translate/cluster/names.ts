import type { ObjectMetadata } from './kubernetes-object';
import { shortName } from './short-name';

/** API group of the InferenceGatewayConfig; labels and the finalizer are under it too. */
export const GROUP = 'inference.sagemaker.aws.amazon.com';

/** Field manager of the controller, and what its objects are labelled as being managed by. */
export const MANAGER = 'inference-gateway-controller';

export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
/** On everything that is made for a gateway: the name of its InferenceGatewayConfig, shortened where it is no label. */
export const GATEWAY_LABEL = `${GROUP}/gateway`;
export const GATEWAY_NAMESPACE_LABEL = `${GROUP}/gateway-namespace`;
/** On everything that is made for one scheduler. */
export const SCHEDULER_LABEL = `${GROUP}/scheduler`;
/** On the pods that are made for a gateway: `router` or `picker`. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
/** On picker Deployments and their pods: what of their spec makes another Deployment. */
export const SPEC_HASH_LABEL = `${GROUP}/spec-hash`;

/** On the GatewayClass: the system namespace of the installation that has made it, and alone looks after the gateways. */
export const INSTALLATION_LABEL = `${GROUP}/system-namespace`;

/** `spec.controllerName` of a GatewayClass that Envoy Gateway serves, unless it is set up otherwise. */
export const ENVOY_GATEWAY_CONTROLLER = 'gateway.envoyproxy.io/gatewayclass-controller';

/** The controller's Deployment, ServiceAccount, Service, roles and everything else of it. */
export const CONTROLLER = 'hyperpod-inference-gateway-controller';

/** The configuration of a whole Gateway is one message from Envoy Gateway to the controller, and back: at most so many MiB. */
export const GATEWAY_MESSAGE_MIB = 64;

/**
 * Secrets of the system namespace by which the controller, Envoy Gateway and Envoys know each other where InferencePools are
 * backends. `ca` has the authority as `tls.crt`, as Envoy Gateway wants it.
 */
export const INFERENCE_POOL_SECRETS = {
  authority: 'inference-pools-authority',
  ca: 'inference-pools-ca',
  server: 'inference-pools-server',
  envoyGateway: 'inference-pools-envoy-gateway',
  envoy: 'inference-pools-envoy',
} as const;

/** The GatewayClass of all gateways. */
export const GATEWAY_CLASS = 'inference-gateway';

/** Ports that the parts listen on. */
export const PORTS = { router: 9004, picker: 9005, endpointPicker: 9002, inferencePools: 9006, metrics: 9090 } as const;

/** The InferenceGatewayConfig that a name is for. */
export interface Named {
  readonly metadata: Pick<ObjectMetadata, 'name'> & { readonly namespace: string };
}

/** Names of what one gateway has besides its schedulers. None of the endings is the end of another: two gateways never share one. */
export interface GatewayNames {
  /** Gateway, EnvoyProxy and the policies that are about the whole Gateway. */
  readonly gateway: string;
  /** Deployment, Service, HorizontalPodAutoscaler and PodDisruptionBudget of the Envoys. */
  readonly envoy: string;
  /** Deployment, Service and everything else of the routers, and the policies and the HTTPRoute that are about them. */
  readonly router: string;
  /** NetworkPolicy of the pickers. */
  readonly pickers: string;
  /** HTTPRoute of the health checks, and its policies. */
  readonly health: string;
  /** HTTPRoute on which the requests of several schedulers begin. */
  readonly catchAll: string;
  /** HTTPRoute to `spec.bbr.defaultBackend`. */
  readonly defaultBackend: string;
  /** HTTPRouteFilter: the answer while no router answers. */
  readonly unavailable: string;
  /** ConfigMap of the OpenTelemetry collectors. */
  readonly collector: string;
  /** Secret and Certificate that clients see. */
  readonly certificate: string;
  /** Secret and Certificate of the authority that issues it, its Issuer, and the ConfigMap that publishes it. */
  readonly authority: string;
  /** Issuer that signs the authority. */
  readonly selfSigned: string;
  /** Secrets with `tls.crt`, `tls.key` and `ca.crt` for the connections inside: what Envoys, routers and pickers show. */
  readonly envoyCertificate: string;
  readonly routerCertificate: string;
  readonly pickerCertificate: string;
}

export function gatewayNames({ metadata: { name } }: Named): GatewayNames {
  const of = (ending: string) => shortName(name, ending);
  return {
    gateway: shortName(name),
    envoy: of('envoy'),
    router: of('bbr'),
    pickers: of('pickers'),
    health: of('health'),
    catchAll: of('catch-all'),
    defaultBackend: of('default-backend'),
    unavailable: of('unavailable'),
    collector: of('collector'),
    certificate: of('tls'),
    authority: of('ca'),
    selfSigned: of('selfsigned'),
    envoyCertificate: of('envoy-cert'),
    routerCertificate: of('bbr-cert'),
    pickerCertificate: of('epp-cert'),
  };
}

/** Names of what one scheduler has, all in the namespace of its InferenceGatewayConfig. */
export interface SchedulerNames {
  /** InferencePool and HTTPRoute. */
  readonly pool: string;
  /** The Service without a selector whose EndpointSlices the controller writes. */
  readonly endpoints: string;
  /** Service, ServiceAccount, Role, RoleBinding and PodDisruptionBudget of the pickers; label `app` of their pods. */
  readonly picker: string;
}

export function schedulerNames(scheduler: { readonly name: string }): SchedulerNames {
  const { name } = scheduler;
  return { pool: name, endpoints: shortName(name, 'pool'), picker: shortName(name, 'epp') };
}

/** Labels by which everything that is made for a gateway is found. */
export function gatewayLabels(config: Named): Readonly<Record<string, string>> {
  return { [MANAGED_BY_LABEL]: MANAGER, ...belongingLabels(config) };
}

/** Labels of what others make for a gateway, as Envoy Gateway does: they say whose it is, and not whose work. */
export function belongingLabels({ metadata }: Named): Readonly<Record<string, string>> {
  return { [GATEWAY_LABEL]: shortName(metadata.name), [GATEWAY_NAMESPACE_LABEL]: metadata.namespace };
}
