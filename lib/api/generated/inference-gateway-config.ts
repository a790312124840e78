// Generated from the schemas in lib/api by `npm run generate`. Do not edit.

/** `spec`. */
export interface InferenceGatewayConfigSpec {
  /** The Body-Based Router, which reads the model from the body of a request. */
  readonly bbr: BodyBasedRouterSpec;
  /**
   * HTTPS at the gateway. An empty object: a certificate is issued automatically.
   * @default - none
   */
  readonly tls?: TlsSpec;
  /**
   * Where clients reach the gateway.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly endpoint?: EndpointSpec;
  /**
   * The Envoy pods.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly envoy?: EnvoySpec;
  /**
   * Authentication of requests. Without it everybody who can reach the gateway can use it. Health checks need no token.
   * @default - none
   */
  readonly auth?: AuthSpec;
  /**
   * Metrics and explanations.
   * @default - the defaults of its fields
   */
  readonly observability?: ObservabilitySpec;
  /**
   * Settings of the router and picker pods.
   * @default - none
   */
  readonly podDefaults?: PodDefaults;
  /**
   * What happens when no pod has room for a request.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly overload?: OverloadSpec;
  /** The models, each with its pods. Keyed by name. */
  readonly schedulers: readonly SchedulerSpec[];
}

/** `spec.bbr`. */
export interface BodyBasedRouterSpec {
  /** Whether requests are routed by the model they name. Must be true with more than one scheduler; when false, the only scheduler gets every request. */
  readonly enabled: boolean;
  /**
   * Number of Body-Based Router pods.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Where requests for a model that no scheduler serves go. Without it they are answered with 404.
   * @default - none
   */
  readonly defaultBackend?: DefaultBackend;
  /**
   * Largest request body, in bytes. A larger one is answered with 413.
   * @default 268435456
   */
  readonly maxRequestBodyBytes?: number;
}

/** `spec.bbr.defaultBackend`. */
export interface DefaultBackend {
  /** Name of a Service in the namespace of this object. */
  readonly name: string;
  /**
   * Port of the Service.
   * @default 8000
   */
  readonly port?: number;
}

/** `spec.tls`. */
export interface TlsSpec {
  /**
   * ARN of an ACM certificate. Empty or absent: a certificate is issued by cert-manager and imported into ACM.
   * @default - none
   */
  readonly acmArn?: string;
  /**
   * Further names that the issued certificate is valid for, besides those of the cluster and of the load balancer. Not with `acmArn`.
   * An extension of the published contract.
   * @default - none
   */
  readonly dnsNames?: readonly string[];
  /**
   * Issuer of cert-manager that issues the certificate. Absent: an authority of this gateway alone. Not with `acmArn`.
   * An extension of the published contract.
   * @default - none
   */
  readonly issuerRef?: IssuerRef;
}

/** `spec.tls.issuerRef`. */
export interface IssuerRef {
  /** Name of the issuer. */
  readonly name: string;
  /**
   * Kind of the issuer. An `Issuer` must be in the namespace of the controller, where the certificate is.
   * @default IssuerKind.CLUSTER_ISSUER
   */
  readonly kind?: IssuerKind;
  /**
   * API group of the issuer, where it is of another project.
   * @default "cert-manager.io"
   */
  readonly group?: string;
}

/** Values of `spec.tls.issuerRef.kind`. */
export enum IssuerKind {
  /** `ClusterIssuer` */
  CLUSTER_ISSUER = 'ClusterIssuer',
  /** `Issuer` */
  ISSUER = 'Issuer',
}

/** `spec.endpoint`. */
export interface EndpointSpec {
  /**
   * How clients reach the gateway: an internal Network Load Balancer that passes TLS through to Envoy, an internal Application Load Balancer, or a Service inside the cluster. Absent: `alb` with `tls.acmArn`, `clusterIP` with `targetGroupArn`, else `nlb`.
   * An extension of the published contract.
   * @default - none
   */
  readonly type?: EndpointType;
  /**
   * Target group (IP targets, HTTPS or TLS) of a load balancer that is there already: the Envoys become its targets, and none is made. Its health check must be HTTPS on `/healthz`. Not with `type` `nlb` or `alb`.
   * An extension of the published contract.
   * @default - none
   */
  readonly targetGroupArn?: string;
  /**
   * Annotations of the object that makes the load balancer (a Service, or an Ingress for `alb`): subnets, security groups. They win over those of the gateway.
   * An extension of the published contract.
   * @default - none
   */
  readonly annotations?: { readonly [key: string]: string };
}

/** Values of `spec.endpoint.type`. */
export enum EndpointType {
  /** `nlb` */
  NLB = 'nlb',
  /** `alb` */
  ALB = 'alb',
  /** `clusterIP` */
  CLUSTER_IP = 'clusterIP',
}

/** `spec.envoy`. */
export interface EnvoySpec {
  /**
   * Fewest Envoy pods.
   * An extension of the published contract.
   * @default 2
   */
  readonly minReplicas?: number;
  /**
   * Most Envoy pods; they are added by CPU use. Not below `minReplicas`.
   * An extension of the published contract.
   * @default 10
   */
  readonly maxReplicas?: number;
  /**
   * Requests and limits of the Envoy container (core/v1 ResourceRequirements). A limit of memory that is not set is 4Gi: request bodies wait in it, and from 64 % of it on new requests get 503.
   * An extension of the published contract.
   * @default - none
   */
  readonly resources?: { readonly [key: string]: any };
  /**
   * Labels that a node of an Envoy must have.
   * An extension of the published contract.
   * @default - none
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the Envoys tolerate (core/v1 Toleration).
   * An extension of the published contract.
   * @default - none
   */
  readonly tolerations?: readonly { readonly [key: string]: any }[];
  /**
   * Where the Envoys prefer to run (core/v1 Affinity).
   * An extension of the published contract.
   * @default - none
   */
  readonly affinity?: { readonly [key: string]: any };
}

/** `spec.auth`. */
export interface AuthSpec {
  /**
   * JSON Web Tokens, sent as bearer tokens. Absent: requests are not authenticated.
   * @default - none
   */
  readonly jwt?: JwtSpec;
}

/** `spec.auth.jwt`. */
export interface JwtSpec {
  /** Who issues the tokens. */
  readonly provider: JwtProvider;
  /**
   * Claims that say what a request is; at least one. The headers `x-gateway-inference-objective` and `x-gateway-inference-fairness-id`, and their `x-llm-d-` forms, are then ignored where a client sends them. Absent: they are the client's, and an objective may only lower the priority.
   * An extension of the published contract.
   * @default - none
   */
  readonly claims?: IdentityClaims;
}

/** `spec.auth.jwt.provider`. */
export interface JwtProvider {
  /** Name of the provider. */
  readonly name: string;
  /** OIDC issuer; the `iss` claim of a token must equal it. */
  readonly issuer: string;
  /** Where the signing keys are published. */
  readonly remoteJWKS: RemoteJwks;
  /**
   * Accepted `aud` values. At least one of `audiences` and `requiredClaims` is needed.
   * @default - none
   */
  readonly audiences?: readonly string[];
  /**
   * Claims that a token must carry, all of them; a token without them is denied.
   * @default - none
   */
  readonly requiredClaims?: readonly RequiredClaim[];
}

/** `spec.auth.jwt.provider.remoteJWKS`. */
export interface RemoteJwks {
  /** HTTPS address of the key set that verifies tokens. */
  readonly uri: string;
}

/** `spec.auth.jwt.provider.requiredClaims[]`. */
export interface RequiredClaim {
  /** Name of the claim. */
  readonly name: string;
  /**
   * Whether the claim is one string or a list of strings.
   * @default ClaimValueType.STRING
   */
  readonly valueType?: ClaimValueType;
  /** Values of which the claim must have one. */
  readonly values: readonly string[];
}

/** Values of `spec.auth.jwt.provider.requiredClaims[].valueType`. */
export enum ClaimValueType {
  /** `String` */
  STRING = 'String',
  /** `StringArray` */
  STRING_ARRAY = 'StringArray',
}

/** `spec.auth.jwt.claims`. */
export interface IdentityClaims {
  /**
   * Claim that names the InferenceObjective of a request: a string; a nested one by its path, as `gateway.objective`. Absent: every request has priority 0.
   * An extension of the published contract.
   * @default - none
   */
  readonly objective?: string;
  /**
   * Claim that names the tenant of a request: a string; a nested one by its path. Absent: all requests are of one tenant.
   * An extension of the published contract.
   * @default - none
   */
  readonly tenant?: string;
}

/** `spec.observability`. */
export interface ObservabilitySpec {
  /**
   * Metrics collection.
   * @default - the defaults of its fields
   */
  readonly metrics?: MetricsSpec;
  /**
   * Explained decisions.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly explain?: ExplainSpec;
}

/** `spec.observability.metrics`. */
export interface MetricsSpec {
  /**
   * Adds an OpenTelemetry collector to the router and picker pods, where the installation names its image. The processes serve `/metrics` either way.
   * @default true
   */
  readonly enabled?: boolean;
}

/** `spec.observability.explain`. */
export interface ExplainSpec {
  /**
   * Lets a client that sends `x-gateway-explain: 1` read `x-gateway-decision`, the scores of the pods, and logs a sample of decisions.
   * @default false
   */
  readonly enabled?: boolean;
  /**
   * Of each scheduler at most one decision in this time is logged, with all that it rests on; only with `enabled`. `0s`: none.
   * @default "1s"
   */
  readonly logInterval?: string;
}

/** `spec.podDefaults`. */
export interface PodDefaults {
  /**
   * Requests and limits (core/v1 ResourceRequirements).
   * @default - none
   */
  readonly resources?: { readonly [key: string]: any };
  /**
   * Labels that a node must have.
   * @default - none
   */
  readonly nodeSelector?: { readonly [key: string]: string };
  /**
   * Taints that the pods tolerate (core/v1 Toleration).
   * @default - none
   */
  readonly tolerations?: readonly { readonly [key: string]: any }[];
  /**
   * Where the pods prefer to run (core/v1 Affinity).
   * @default - none
   */
  readonly affinity?: { readonly [key: string]: any };
  /**
   * Labels added to the pods.
   * @default - none
   */
  readonly labels?: { readonly [key: string]: string };
  /**
   * Annotations added to the pods.
   * @default - none
   */
  readonly annotations?: { readonly [key: string]: string };
  /**
   * Environment variables of the containers (core/v1 EnvVar).
   * @default - none
   */
  readonly env?: readonly { readonly [key: string]: any }[];
  /**
   * Sources of environment variables (core/v1 EnvFromSource).
   * @default - none
   */
  readonly envFrom?: readonly { readonly [key: string]: any }[];
}

/** `spec.overload`. */
export interface OverloadSpec {
  /**
   * A request that no pod can start within this time, estimated from the measured drain rate, is answered with 429; above 0s. Until requests have finished there is no estimate, and nothing is refused.
   * An extension of the published contract.
   * @default "30s"
   */
  readonly maxQueueTime?: string;
  /**
   * Bounds of the `Retry-After` that is computed from the measured drain rate.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly retryAfter?: RetryAfterSpec;
  /**
   * A request for a model none of whose pods is ready waits so long for the first one, and is then answered with 503; at most 5m. `0s`: it does not wait. Without `flowControl` all that waited go to the first pod that becomes ready, and those that it cannot start within `maxQueueTime` are answered with 429; with it they go on as pods have room.
   * An extension of the published contract.
   * @default "10s"
   */
  readonly emptyPoolHold?: string;
}

/** `spec.overload.retryAfter`. */
export interface RetryAfterSpec {
  /**
   * Shortest `Retry-After`; above 0s.
   * @default "1s"
   */
  readonly min?: string;
  /**
   * Longest `Retry-After`; not below `min`.
   * @default "60s"
   */
  readonly max?: string;
}

/** `spec.schedulers[]`. */
export interface SchedulerSpec {
  /** Name, unique in the list. The InferencePool, picker, HTTPRoute and EnvoyExtensionPolicy are named after it. */
  readonly name: string;
  /** Which pods serve the model: a label selector with at least one requirement, for pods of the same namespace. */
  readonly modelSelector: LabelSelector;
  /**
   * The model that requests name to reach this scheduler, unique in the list. Required with several schedulers. An extension: the only scheduler may leave it out, and takes every model.
   * @default - none
   */
  readonly modelName?: string;
  /**
   * Port on which the pods serve.
   * @default 8000
   */
  readonly targetPort?: number;
  /**
   * Protocol that the pods speak.
   * @default AppProtocol.HTTP
   */
  readonly appProtocol?: AppProtocol;
  /**
   * LoRA adapters of this model.
   * @default - none
   */
  readonly loraAdapters?: readonly string[];
  /**
   * Longest time that a request may take, as a Gateway API duration. `0s` turns it off.
   * @default - none
   */
  readonly routeTimeout?: string;
  /**
   * Type of endpoint picker.
   * @default SchedulerType.LLM_D
   */
  readonly scheduler?: SchedulerType;
  /**
   * Model server that runs in the pods: decides which metric names are read. `tgi`, `trtllm` and `triton` are extensions.
   * @default EngineType.VLLM
   */
  readonly engineType?: EngineType;
  /**
   * Weights of the scorers, relative to each other. All of them 0: every pod scores the same. Not with `configMapRef`.
   * @default - none
   */
  readonly weights?: SchedulerWeights;
  /**
   * A named set of weights. `weights` wins over it. Absent, and no `weights`: `balanced`. Not with `configMapRef`.
   * An extension of the published contract.
   * @default - none
   */
  readonly profile?: SchedulerProfile;
  /**
   * A configuration for the picker, instead of weights. Not with `weights`.
   * @default - none
   */
  readonly configMapRef?: ConfigMapRef;
  /**
   * Number of picker pods; with several, one leads.
   * @default 2
   */
  readonly replicas?: number;
  /**
   * Environment variables added to the picker (core/v1 EnvVar).
   * @default - none
   */
  readonly env?: readonly { readonly [key: string]: any }[];
  /**
   * Sources of environment variables added to the picker (core/v1 EnvFromSource).
   * @default - none
   */
  readonly envFrom?: readonly { readonly [key: string]: any }[];
  /**
   * How much the picker logs.
   * @default - none
   */
  readonly logLevel?: number;
  /**
   * Requests that no pod has room for wait in the gateway, by priority and tenant. Absent: none waits there. An empty object: all defaults.
   * An extension of the published contract.
   * @default - none
   */
  readonly flowControl?: FlowControlSpec;
  /**
   * When a request goes on to another pod. Absent: the defaults.
   * An extension of the published contract.
   * @default - none
   */
  readonly retry?: RetrySpec;
}

/** `spec.schedulers[].modelSelector`. */
export interface LabelSelector {
  /**
   * Labels that a pod must have, each with this value.
   * @default - none
   */
  readonly matchLabels?: { readonly [key: string]: string };
  /**
   * Requirements that a pod must meet, all of them.
   * @default - none
   */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** `spec.schedulers[].modelSelector.matchExpressions[]`. */
export interface LabelSelectorRequirement {
  /** The label that the requirement is about. */
  readonly key: string;
  /** How the label relates to `values`. */
  readonly operator: LabelSelectorOperator;
  /**
   * Label values. At least one with In and NotIn, none with Exists and DoesNotExist.
   * @default - none
   */
  readonly values?: readonly string[];
}

/** Values of `spec.schedulers[].modelSelector.matchExpressions[].operator`. */
export enum LabelSelectorOperator {
  /** `In` */
  IN = 'In',
  /** `NotIn` */
  NOT_IN = 'NotIn',
  /** `Exists` */
  EXISTS = 'Exists',
  /** `DoesNotExist` */
  DOES_NOT_EXIST = 'DoesNotExist',
}

/** Values of `spec.schedulers[].appProtocol`. */
export enum AppProtocol {
  /** `http` */
  HTTP = 'http',
  /** `kubernetes.io/h2c` */
  KUBERNETES_IO_H2C = 'kubernetes.io/h2c',
}

/** Values of `spec.schedulers[].scheduler`. */
export enum SchedulerType {
  /** `llm-d` */
  LLM_D = 'llm-d',
  /** `epp` */
  EPP = 'epp',
}

/** Values of `spec.schedulers[].engineType`. */
export enum EngineType {
  /** `vllm` */
  VLLM = 'vllm',
  /** `sglang` */
  SGLANG = 'sglang',
  /** `tgi` */
  TGI = 'tgi',
  /** `trtllm` */
  TRTLLM = 'trtllm',
  /** `triton` */
  TRITON = 'triton',
}

/** `spec.schedulers[].weights`. */
export interface SchedulerWeights {
  /**
   * Few requests waiting in the pod.
   * @default 2
   */
  readonly queue?: number;
  /**
   * Free KV cache.
   * @default 2
   */
  readonly kvCache?: number;
  /**
   * Prompt prefix that the pod has cached.
   * @default 3
   */
  readonly prefix?: number;
  /**
   * Pods that were least recently given a prompt without a cached prefix. Only with `scheduler: llm-d`. Absent: 0.
   * @default - none
   */
  readonly lru?: number;
  /**
   * LoRA adapter that the pod has loaded. Absent: 0.
   * @default - none
   */
  readonly loraAffinity?: number;
  /**
   * Few requests running in the pod. Absent: 0.
   * @default - none
   */
  readonly runningRequests?: number;
  /**
   * Soonest first token, by the speed learned of each pod, the prompts ahead, and the prefix and the adapter that it holds unless their weights are 0. Absent: 0.
   * @default - none
   */
  readonly predictedLatency?: number;
}

/** Values of `spec.schedulers[].profile`. */
export enum SchedulerProfile {
  /** `balanced` */
  BALANCED = 'balanced',
  /** `latency` */
  LATENCY = 'latency',
  /** `throughput` */
  THROUGHPUT = 'throughput',
}

/** `spec.schedulers[].configMapRef`. */
export interface ConfigMapRef {
  /** Name of a ConfigMap in the namespace of this object. */
  readonly name: string;
  /**
   * Key of its data to read.
   * @default "default-plugins.yaml"
   */
  readonly key?: string;
}

/** `spec.schedulers[].flowControl`. */
export interface FlowControlSpec {
  /**
   * How requests wait, by the sign of their priority.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly bands?: FlowControlBands;
  /**
   * Bytes of request bodies that may wait in all bands together, as a quantity; at most 1Gi. The router holds at most 2 GiB for all schedulers and refuses more with 503, so that the sum over schedulers should stay well below.
   * An extension of the published contract.
   * @default "512Mi"
   */
  readonly maxBytes?: any;
  /**
   * Tenants of a band that have a queue of their own at one time. The others share one.
   * An extension of the published contract.
   * @default 100
   */
  readonly maxTenants?: number;
  /**
   * Believes the objective that a client names, also where it raises the priority. Only where every client can be trusted. Not with `spec.auth.jwt.claims`.
   * An extension of the published contract.
   * @default false
   */
  readonly trustClientHeaders?: boolean;
}

/** `spec.schedulers[].flowControl.bands`. */
export interface FlowControlBands {
  /**
   * Requests with a priority above 0.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly critical?: FlowControlBand;
  /**
   * Requests with priority 0, and those that name no objective.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly standard?: FlowControlBand;
  /**
   * Requests with a priority below 0.
   * An extension of the published contract.
   * @default - the defaults of its fields
   */
  readonly sheddable?: FlowControlBand;
}

/** `spec.schedulers[].flowControl.bands.critical`. */
export interface FlowControlBand {
  /**
   * A request that has waited so long is answered with 429; above 0s, at most 5m.
   * An extension of the published contract.
   * @default "10s"
   */
  readonly ttl?: string;
  /**
   * Requests that may wait. One more is answered with 429. 0: none waits.
   * An extension of the published contract.
   * @default 1000
   */
  readonly maxRequests?: number;
  /**
   * Bytes of request bodies that may wait, as a quantity; not above `maxBytes` of all bands. Absent: 256Mi, or that of all bands where it is less.
   * An extension of the published contract.
   * @default - none
   */
  readonly maxBytes?: any;
}

/** `spec.schedulers[].retry`. */
export interface RetrySpec {
  /**
   * Further pods that a request goes on to when one fails before it has sent response headers. 0: none.
   * An extension of the published contract.
   * @default 2
   */
  readonly attempts?: number;
  /**
   * Also where the connection broke after the request was sent: the model may then have begun to generate twice. When false, only where the pod cannot have begun.
   * An extension of the published contract.
   * @default true
   */
  readonly afterDispatch?: boolean;
}
