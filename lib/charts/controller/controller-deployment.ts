import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { PORTS } from '../../translate/cluster/names';
import { imageOf } from '../images';
import { CONTROLLER, INFERENCE_POOLS_PORT, METRICS_PORT, PART_OF } from '../names';
import { placement, podMetadata, RESTRICTED_CONTAINER, RESTRICTED_POD, scrapeAnnotations } from '../pods';
import { choose, concatenated, itemsOf, joinedByComma, when } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import { CONTROLLER_SELECTOR } from './controller-selector';

/** The pods of the controller, one of which leads. */
export class ControllerDeployment extends Construct {
  constructor(scope: Construct, id: string, namespace: string, values: CompleteInstallValues) {
    super(scope, id);
    const { controller } = values;
    new ApiObject(this, 'Deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: CONTROLLER, namespace, labels: { ...CONTROLLER_SELECTOR, ...PART_OF } },
      spec: {
        replicas: controller.replicas,
        selector: { matchLabels: CONTROLLER_SELECTOR },
        template: {
          metadata: podMetadata({ ...CONTROLLER_SELECTOR, ...PART_OF }, scrapeAnnotations(METRICS_PORT), controller),
          spec: {
            serviceAccountName: CONTROLLER,
            automountServiceAccountToken: true,
            securityContext: RESTRICTED_POD,
            ...placement(CONTROLLER_SELECTOR, controller, values),
            containers: [container(values)],
          },
        },
      },
    });
  }
}

const POD_IDENTITY = [
  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
];

function container(values: CompleteInstallValues) {
  const { controller } = values;
  return {
    name: 'controller',
    image: imageOf('gateway', values),
    imagePullPolicy: values.imagePullPolicy,
    args: controllerArguments(values),
    env: concatenated<unknown>(POD_IDENTITY, controller.env),
    ports: [
      { name: 'metrics', containerPort: METRICS_PORT },
      { name: INFERENCE_POOLS_PORT, containerPort: PORTS.inferencePools },
    ],
    livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 3 }),
    // Not before the CRDs are there: the API server may be slow at that.
    readinessProbe: probe('/readyz', { periodSeconds: 5, failureThreshold: 2 }),
    resources: controller.resources,
    securityContext: RESTRICTED_CONTAINER,
  };
}

function controllerArguments(values: CompleteInstallValues): string[] {
  const { controller, crds, envoyGateway, envoy, monitoring } = values;
  return itemsOf(
    'controller',
    '--system-namespace=$(POD_NAMESPACE)',
    '--name=$(POD_NAME)',
    `--image=${imageOf('gateway', values)}`,
    `--image-pull-policy=${values.imagePullPolicy}`,
    when(values.imagePullSecrets, `--image-pull-secrets=${joinedByComma(values.imagePullSecrets)}`),
    when(envoy.image.repository, `--envoy-image=${imageOf('envoy', values)}`),
    when(monitoring.collectorImage.repository, `--collector-image=${imageOf('collector', values)}`),
    `--gateway-controller-name=${envoyGateway.controllerName}`,
    when(envoyGateway.namespace, `--envoy-namespace=${envoyGateway.namespace}`),
    when(envoyGateway.enabled, '--envoy-gateway-certificates'),
    when(monitoring.namespace, `--monitoring-namespace=${monitoring.namespace}`),
    `--ip-family=${values.ipFamily}`,
    `--cluster-domain=${values.clusterDomain}`,
    `--log-level=${controller.logLevel}`,
    choose(crds.manage, '--manage-crds=true', '--manage-crds=false'),
  );
}

function probe(path: string, times: { readonly periodSeconds: number; readonly failureThreshold: number }) {
  return { httpGet: { path, port: 'metrics' }, timeoutSeconds: 2, ...times };
}
