// Generated from the schemas in lib/charts by `npm run generate`. Do not edit.

/** `values`. */
export interface InstallValues {
  /**
   * The namespace of the installation.
   * @default - the defaults of its fields
   */
  readonly namespace?: NamespaceSettings;
  /**
   * Registry of all images, in place of the one that each has. Empty: each its own.
   * @default ""
   */
  readonly imageRegistry?: string;
  /**
   * Names of Secrets for pulling images, also by Envoys, routers and pickers: one of each name in the namespace of the installation, in that of the Envoys, and in every one that has a gateway.
   * @default - the defaults of its fields
   */
  readonly imagePullSecrets?: readonly string[];
  /**
   * Image of the controller, the routers and the pickers.
   * @default - the defaults of its fields
   */
  readonly image?: ImageLocation;
  /**
   * When images are pulled.
   * @default ImagePullPolicy.IF_NOT_PRESENT
   */
  readonly imagePullPolicy?: ImagePullPolicy;
  /**
   * Addresses of the pods of the cluster.
   * @default InstallIpFamily.IPV4
   */
  readonly ipFamily?: InstallIpFamily;
  /**
   * DNS domain of the cluster.
   * @default "cluster.local"
   */
  readonly clusterDomain?: string;
  /**
   * The controller.
   * @default - the defaults of its fields
   */
  readonly controller?: ControllerSettings;
  /**
   * Envoy Gateway, which runs the Envoys.
   * @default - the defaults of its fields
   */
  readonly envoyGateway?: EnvoyGatewaySettings;
  /**
   * The Envoys.
   * @default - the defaults of its fields
   */
  readonly envoy?: EnvoySettings;
  /**
   * CustomResourceDefinitions.
   * @default - the defaults of its fields
   */
  readonly crds?: CrdSettings;
  /**
   * Who reads metrics, and how.
   * @default - the defaults of its fields
   */
  readonly monitoring?: MonitoringSettings;
  /**
   * Network policies of the installation.
   * @default - the defaults of its fields
   */
  readonly networkPolicy?: NetworkPolicySettings;
}

/** `values.namespace`. */
export interface NamespaceSettings {
  /**
   * Whether the namespace of the installation is one of its objects. Not with Helm, which makes it itself (`--create-namespace`).
   * @default false
   */
  readonly create?: boolean;
}

/** `values.image`. */
export interface ImageLocation {
  /**
   * Host, and path if any, before the repository. Empty: none is written.
   * @default ""
   */
  readonly registry?: string;
  /**
   * Name in the registry.
   * @default "inference-gateway"
   */
  readonly repository?: string;
  /**
   * Tag. Not used with `digest`.
   * @default "0.1.0"
   */
  readonly tag?: string;
  /**
   * Digest, `sha256:` and 64 hexadecimal digits. Empty: the tag.
   * @default ""
   */
  readonly digest?: string;
}

/** Values of `values.imagePullPolicy`. */
export enum ImagePullPolicy {
  /** `Always` */
  ALWAYS = 'Always',
  /** `IfNotPresent` */
  IF_NOT_PRESENT = 'IfNotPresent',
  /** `Never` */
  NEVER = 'Never',
}

/** Values of `values.ipFamily`. */
export enum InstallIpFamily {
  /** `IPv4` */
  IPV4 = 'IPv4',
  /** `IPv6` */
  IPV6 = 'IPv6',
  /** `DualStack` */
  DUAL_STACK = 'DualStack',
}

/** `values.controller`. */
export interface ControllerSettings {
  /**
   * Number of pods.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * How much it logs.
   * @default InstallLogLevel.INFO
   */
  readonly logLevel?: InstallLogLevel;
  /**
   * Requests and limits of the container (core/v1 ResourceRequirements).
   * @default - the defaults of its fields
   */
  readonly resources?: { readonly [key: string]: any };
  /**
   * Labels that a node must have.
   * @default - the defaults of its fields
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the pods tolerate (core/v1 Toleration).
   * @default - the defaults of its fields
   */
  readonly tolerations?: readonly { readonly [key: string]: any }[];
  /**
   * Where the pods prefer to run (core/v1 Affinity), beside the spread over nodes and zones that they always ask for.
   * @default - the defaults of its fields
   */
  readonly affinity?: { readonly [key: string]: any };
  /**
   * PriorityClass of the pods. Empty: none.
   * @default ""
   */
  readonly priorityClassName?: string;
  /**
   * Labels added to the pods.
   * @default - the defaults of its fields
   */
  readonly podLabels?: { readonly [key: string]: string };
  /**
   * Annotations added to the pods.
   * @default - the defaults of its fields
   */
  readonly podAnnotations?: { readonly [key: string]: string };
  /**
   * Environment variables added to the container (core/v1 EnvVar).
   * @default - the defaults of its fields
   */
  readonly env?: readonly { readonly [key: string]: any }[];
  /**
   * Account of the controller.
   * @default - the defaults of its fields
   */
  readonly serviceAccount?: ServiceAccountSettings;
}

/** Values of `values.controller.logLevel`. */
export enum InstallLogLevel {
  /** `debug` */
  DEBUG = 'debug',
  /** `info` */
  INFO = 'info',
  /** `warn` */
  WARN = 'warn',
  /** `error` */
  ERROR = 'error',
}

/** `values.controller.serviceAccount`. */
export interface ServiceAccountSettings {
  /**
   * Annotations, such as `eks.amazonaws.com/role-arn` with the role that may import certificates into ACM.
   * @default - the defaults of its fields
   */
  readonly annotations?: { readonly [key: string]: string };
}

/** `values.envoyGateway`. */
export interface EnvoyGatewaySettings {
  /**
   * Whether Envoy Gateway is installed too. False where there is one already.
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Controller name that Envoy Gateway answers to; of the one that is there already, if it is used.
   * @default "gateway.envoyproxy.io/gatewayclass-controller"
   */
  readonly controllerName?: string;
  /**
   * Namespace of the Envoy Gateway that is there already, which runs the Envoys in it; only where `enabled` is false. Empty: that of the installation.
   * @default ""
   */
  readonly namespace?: string;
  /**
   * Image of Envoy Gateway.
   * @default - the defaults of its fields
   */
  readonly image?: ImageLocation;
  /**
   * Number of pods.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * How much it logs.
   * @default InstallLogLevel.INFO
   */
  readonly logLevel?: InstallLogLevel;
  /**
   * Requests and limits of the container (core/v1 ResourceRequirements).
   * @default - the defaults of its fields
   */
  readonly resources?: { readonly [key: string]: any };
  /**
   * Labels that a node must have.
   * @default - the defaults of its fields
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the pods tolerate (core/v1 Toleration).
   * @default - the defaults of its fields
   */
  readonly tolerations?: readonly { readonly [key: string]: any }[];
  /**
   * Where the pods prefer to run (core/v1 Affinity), beside the spread over nodes and zones that they always ask for.
   * @default - the defaults of its fields
   */
  readonly affinity?: { readonly [key: string]: any };
  /**
   * PriorityClass of the pods. Empty: none.
   * @default ""
   */
  readonly priorityClassName?: string;
  /**
   * Labels added to the pods.
   * @default - the defaults of its fields
   */
  readonly podLabels?: { readonly [key: string]: string };
  /**
   * Annotations added to the pods.
   * @default - the defaults of its fields
   */
  readonly podAnnotations?: { readonly [key: string]: string };
  /**
   * Environment variables added to the container (core/v1 EnvVar).
   * @default - the defaults of its fields
   */
  readonly env?: readonly { readonly [key: string]: any }[];
}

/** `values.envoy`. */
export interface EnvoySettings {
  /**
   * Image of the Envoys. With an empty repository Envoy Gateway chooses.
   * @default - the defaults of its fields
   */
  readonly image?: ImageLocation;
}

/** `values.crds`. */
export interface CrdSettings {
  /**
   * Whether the controller applies CustomResourceDefinitions and keeps them up to date. False where others do; it waits until they are there.
   * @default true
   */
  readonly manage?: boolean;
}

/** `values.monitoring`. */
export interface MonitoringSettings {
  /**
   * Only pods of this namespace may read metrics pages. Empty: those of every namespace may.
   * @default ""
   */
  readonly namespace?: string;
  /**
   * Image of the OpenTelemetry collector beside routers and pickers. With an empty repository there is none, whatever `values.observability.metrics` says.
   * @default - the defaults of its fields
   */
  readonly collectorImage?: ImageLocation;
}

/** `values.networkPolicy`. */
export interface NetworkPolicySettings {
  /**
   * Whether only who needs to may connect to the controller and to Envoy Gateway.
   * @default true
   */
  readonly enabled?: boolean;
}
