import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import type { KubernetesObject } from './kubernetes-object';

/** How the controller was installed: the same for every gateway of the cluster. */
export interface Installation {
  /** Where the controller, the routers and the Gateways are. */
  readonly systemNamespace: string;
  /** Where Envoy Gateway runs its Envoys; normally the system namespace. */
  readonly envoyNamespace: string;
  /** `spec.controllerName` of Envoy Gateway's GatewayClasses. */
  readonly gatewayControllerName: string;
  readonly image: ImageSettings;
  /** Absent: Envoy Gateway's own choice. */
  readonly envoyImage?: string;
  /** The OpenTelemetry collector beside routers and pickers; absent: none, whatever a config asks for. */
  readonly collectorImage?: string;
  /** `cluster.local`. */
  readonly clusterDomain: string;
  /** Whose pods may read metrics pages; absent: those of every namespace. */
  readonly monitoringNamespace?: string;
  /** Addresses of the cluster's pods. Absent: IPv4. */
  readonly ipFamily?: 'IPv4' | 'IPv6' | 'DualStack';
}

interface ImageSettings {
  /** With tag or digest. */
  readonly reference: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly pullSecrets: readonly string[];
}

/** What is known of the cluster when a gateway is translated. Only objects of the config's namespace count as its own. */
export interface World {
  /** Every InferenceGatewayConfig of the cluster, as read. */
  readonly configs: readonly KubernetesObject[];
  /** ConfigMaps, InferenceModelRewrites and InferenceObjectives of the config's namespace. */
  readonly objects: readonly KubernetesObject[];
  /** Objects that stand under a name which this gateway would use, and are not its own. Absent: none. */
  readonly foreign?: readonly KubernetesObject[];
  /** Kinds that others serve are installed in the cluster; it may be that they cannot be read. */
  readonly certManager: boolean;
  readonly loadBalancerController: boolean;
  /** Host name of the load balancer in front of the Envoys, once it has one. */
  readonly loadBalancerHostname?: string;
  /** Of an imported certificate that a load balancer may use. */
  readonly importedCertificateArn?: string;
  /** PEM of the authority that issued the certificate which clients see, once there is one. */
  readonly certificateAuthority?: string;
}

export interface Translation {
  /** What the cluster should hold for this gateway, without status; sorted by kind, namespace and name. */
  readonly objects: readonly KubernetesObject[];
  /** Why a condition does not hold, or what its author should know. */
  readonly problems: readonly Problem[];
  /** By scheduler: name of the picker Deployment that its present spec makes. */
  readonly pickerDeployments: ReadonlyMap<string, string>;
}

export interface Problem {
  /** Condition that it makes false. Absent: a warning, which is an Event and nothing else. */
  readonly condition?: 'Accepted' | 'GatewayProgrammed' | 'BBRReady' | 'Ready';
  /** The condition holds all the same, and its message tells the problem. */
  readonly warns?: true;
  /** Name of the scheduler that it is about. */
  readonly scheduler?: string;
  /** One word, CamelCase. */
  readonly reason: string;
  /** A sentence that says what to do. */
  readonly message: string;
  /** Nothing of this gateway may be changed while it lasts: what runs goes on as it was. */
  readonly blocks: boolean;
}

/** Pure: the same arguments give the same objects, in the same order. */
export type TranslateGateway = (
  config: InferenceGatewayConfig,
  installation: Installation,
  world: World,
) => Translation;
