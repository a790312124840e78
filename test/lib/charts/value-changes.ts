import type { InstallValues } from '../../../lib/charts/generated/install-values';

/** A value of an installation, another than its default, and the fields that it changes: these and no others. */
export interface ValueChange {
  readonly path: string;
  readonly value: unknown;
  /** Values that both sides of the comparison have. */
  readonly beside?: InstallValues;
  readonly changes: readonly string[];
}

/** The values that set `value` at `path`. */
export function valuesWith({ path, value }: ValueChange): InstallValues {
  return path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as InstallValues;
}

const SYSTEM = 'inference-gateway';
const CONTROLLER = `Deployment ${SYSTEM}/hyperpod-inference-gateway-controller: spec`;
const CONTROLLER_POD = `${CONTROLLER}.template.spec`;
const CONTROLLER_CONTAINER = `${CONTROLLER_POD}.containers.0`;
const ENVOY_GATEWAY = `Deployment ${SYSTEM}/envoy-gateway: spec`;
const ENVOY_GATEWAY_POD = `${ENVOY_GATEWAY}.template.spec`;
const ENVOY_GATEWAY_CONTAINER = `${ENVOY_GATEWAY_POD}.containers.0`;
const INIT_CONTAINER = `${ENVOY_GATEWAY_POD}.initContainers.0`;
const ENVOY_GATEWAY_FILE = `ConfigMap ${SYSTEM}/envoy-gateway-config-2: data.envoy-gateway.yaml`;

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Awkward in YAML and in templates, and still a string. */
const TEXT = 'odd: "text" {{ x }} #\\';

const TERM = { matchExpressions: [{ key: 'node-type', operator: 'NotIn', values: ['gpu'] }] };

const OUR_IMAGE = [`${INIT_CONTAINER}.image`, `${CONTROLLER_CONTAINER}.args.3`, `${CONTROLLER_CONTAINER}.image`];
const ENVOY_GATEWAY_IMAGE = [ENVOY_GATEWAY_FILE, `${ENVOY_GATEWAY_CONTAINER}.image`];
const ENVOY_IMAGE = [`${CONTROLLER_CONTAINER}.args.5`];
const COLLECTOR = { monitoring: { collectorImage: { repository: 'collector' } } };
const COLLECTOR_IMAGE = [`${CONTROLLER_CONTAINER}.args.6`];

export const VALUE_CHANGES: readonly ValueChange[] = [
  { path: 'namespace.create', value: true, changes: [`+Namespace ${SYSTEM}`] },
  {
    path: 'imageRegistry',
    value: 'mirror.example',
    changes: [
      ENVOY_GATEWAY_FILE,
      `${ENVOY_GATEWAY_CONTAINER}.image`,
      `${INIT_CONTAINER}.image`,
      `${CONTROLLER_CONTAINER}.args.3`,
      `${CONTROLLER_CONTAINER}.args.5`,
      `${CONTROLLER_CONTAINER}.image`,
    ],
  },
  {
    path: 'imagePullSecrets',
    value: ['mirror', 'other'],
    changes: [
      `${ENVOY_GATEWAY_POD}.imagePullSecrets`,
      `${CONTROLLER_CONTAINER}.args +"--image-pull-secrets=mirror,other"`,
      `${CONTROLLER_POD}.imagePullSecrets`,
    ],
  },
  { path: 'image.registry', value: 'registry.example/team', changes: OUR_IMAGE },
  { path: 'image.repository', value: 'gateways/inference', changes: OUR_IMAGE },
  { path: 'image.tag', value: 'next', changes: OUR_IMAGE },
  { path: 'image.digest', value: DIGEST, changes: OUR_IMAGE },
  {
    path: 'imagePullPolicy',
    value: 'Always',
    changes: [
      `${ENVOY_GATEWAY_CONTAINER}.imagePullPolicy`,
      `${INIT_CONTAINER}.imagePullPolicy`,
      `${CONTROLLER_CONTAINER}.args.4`,
      `${CONTROLLER_CONTAINER}.imagePullPolicy`,
    ],
  },
  {
    path: 'clusterDomain',
    value: 'cluster.example',
    changes: [
      'ConfigMap inference-gateway/envoy-gateway-config-2: data.envoy-gateway.yaml',
      `${ENVOY_GATEWAY_CONTAINER}.env.1.value`,
      `${CONTROLLER_CONTAINER}.args.9`,
    ],
  },
  { path: 'ipFamily', value: 'DualStack', changes: [`${CONTROLLER_CONTAINER}.args.8`] },
  { path: 'crds.manage', value: false, changes: [`${CONTROLLER_CONTAINER}.args.11`] },
  ...podChanges('controller', CONTROLLER),
  { path: 'controller.logLevel', value: 'debug', changes: [`${CONTROLLER_CONTAINER}.args.10`] },
  {
    path: 'controller.serviceAccount.annotations',
    value: { 'eks.amazonaws.com/role-arn': TEXT },
    changes: [`ServiceAccount ${SYSTEM}/hyperpod-inference-gateway-controller: metadata.annotations`],
  },
  {
    path: 'envoyGateway.enabled',
    value: false,
    changes: [
      '-ClusterRole inference-gateway-envoy-gateway-role',
      '-ClusterRole inference-gateway-envoy-gateway-inference-pools',
      '-ClusterRoleBinding inference-gateway-envoy-gateway-inference-pools',
      '-ClusterRoleBinding inference-gateway-envoy-gateway-rolebinding',
      `-ConfigMap ${SYSTEM}/envoy-gateway-config-2`,
      `-Deployment ${SYSTEM}/envoy-gateway`,
      `${CONTROLLER_CONTAINER}.args -"--envoy-gateway-certificates"`,
      `-NetworkPolicy ${SYSTEM}/envoy-gateway`,
      `-PodDisruptionBudget ${SYSTEM}/envoy-gateway`,
      `-Role ${SYSTEM}/inference-gateway-infra-manager`,
      `-Role ${SYSTEM}/inference-gateway-leader-election-role`,
      `-RoleBinding ${SYSTEM}/inference-gateway-infra-manager`,
      `-RoleBinding ${SYSTEM}/inference-gateway-leader-election-rolebinding`,
      `-Service ${SYSTEM}/envoy-gateway`,
      `-ServiceAccount ${SYSTEM}/envoy-gateway`,
    ],
  },
  {
    path: 'envoyGateway.controllerName',
    value: 'example.com/envoys',
    changes: [ENVOY_GATEWAY_FILE, `${CONTROLLER_CONTAINER}.args.6`],
  },
  {
    path: 'envoyGateway.namespace',
    value: 'envoy-gateway-system',
    beside: { envoyGateway: { enabled: false } },
    changes: [
      `${CONTROLLER_CONTAINER}.args +"--envoy-namespace=envoy-gateway-system"`,
      `-Role ${SYSTEM}/hyperpod-inference-gateway-controller-envoy`,
      '+Role envoy-gateway-system/hyperpod-inference-gateway-controller-envoy',
      `-RoleBinding ${SYSTEM}/hyperpod-inference-gateway-controller-envoy`,
      '+RoleBinding envoy-gateway-system/hyperpod-inference-gateway-controller-envoy',
    ],
  },
  { path: 'envoyGateway.image.registry', value: 'registry.example', changes: ENVOY_GATEWAY_IMAGE },
  { path: 'envoyGateway.image.repository', value: 'gateway', changes: ENVOY_GATEWAY_IMAGE },
  { path: 'envoyGateway.image.tag', value: 'v1.9.2', changes: ENVOY_GATEWAY_IMAGE },
  { path: 'envoyGateway.image.digest', value: DIGEST, changes: ENVOY_GATEWAY_IMAGE },
  ...podChanges('envoyGateway', ENVOY_GATEWAY),
  { path: 'envoyGateway.logLevel', value: 'warn', changes: [ENVOY_GATEWAY_FILE] },
  { path: 'envoy.image.registry', value: 'registry.example', changes: ENVOY_IMAGE },
  { path: 'envoy.image.repository', value: 'envoy', changes: ENVOY_IMAGE },
  { path: 'envoy.image.tag', value: 'v1.40.0', changes: ENVOY_IMAGE },
  { path: 'envoy.image.digest', value: DIGEST, changes: ENVOY_IMAGE },
  {
    path: 'monitoring.namespace',
    value: 'prometheus',
    changes: [
      `${CONTROLLER_CONTAINER}.args +"--monitoring-namespace=prometheus"`,
      `NetworkPolicy ${SYSTEM}/envoy-gateway: spec.ingress.1.from`,
      `NetworkPolicy ${SYSTEM}/hyperpod-inference-gateway-controller: spec.ingress.0.from`,
    ],
  },
  {
    path: 'monitoring.collectorImage.repository',
    value: 'collector',
    changes: [`${CONTROLLER_CONTAINER}.args +"--collector-image=collector"`],
  },
  {
    path: 'monitoring.collectorImage.registry',
    value: 'registry.example',
    beside: COLLECTOR,
    changes: COLLECTOR_IMAGE,
  },
  { path: 'monitoring.collectorImage.tag', value: 'v1', beside: COLLECTOR, changes: COLLECTOR_IMAGE },
  { path: 'monitoring.collectorImage.digest', value: DIGEST, beside: COLLECTOR, changes: COLLECTOR_IMAGE },
  {
    path: 'networkPolicy.enabled',
    value: false,
    changes: [
      `-NetworkPolicy ${SYSTEM}/envoy-gateway`,
      `-NetworkPolicy ${SYSTEM}/hyperpod-inference-gateway-controller`,
    ],
  },
];

/** What every Deployment has. */
function podChanges(part: string, deployment: string): ValueChange[] {
  const template = `${deployment}.template`;
  const container = `${template}.spec.containers.0`;
  const environment = { name: 'HTTPS_PROXY', value: TEXT };
  return [
    { path: `${part}.replicas`, value: 5, changes: [`${deployment}.replicas`] },
    {
      path: `${part}.resources`,
      value: { requests: { cpu: '1', memory: '256Mi' }, limits: { memory: '1Gi' } },
      changes: [`${container}.resources.requests.cpu`],
    },
    {
      path: `${part}.nodeSelector`,
      value: { disk: 'ssd', 'on-demand': 'true' },
      changes: [`${template}.spec.nodeSelector`],
    },
    {
      path: `${part}.tolerations`,
      value: [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1234567 }],
      changes: [`${template}.spec.tolerations`],
    },
    {
      path: `${part}.affinity`,
      value: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [TERM] } } },
      changes: [`${template}.spec.affinity`],
    },
    {
      path: `${part}.priorityClassName`,
      value: 'system-cluster-critical',
      changes: [`${template}.spec.priorityClassName`],
    },
    { path: `${part}.podLabels`, value: { team: 'serving' }, changes: [`${template}.metadata.labels.team`] },
    { path: `${part}.podAnnotations`, value: { note: TEXT }, changes: [`${template}.metadata.annotations.note`] },
    { path: `${part}.env`, value: [environment], changes: [`${container}.env +${JSON.stringify(environment)}`] },
  ];
}
