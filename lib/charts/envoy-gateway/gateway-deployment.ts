import { INFERENCE_POOL_SECRETS } from '../../translate/cluster/names';
import { imageOf } from '../images';
import { placement, podMetadata, RESTRICTED_CONTAINER, scrapeAnnotations } from '../pods';
import { concatenated } from '../template/choice';
import type { CompleteInstallValues } from '../values/install-values';
import type { RenderedObject } from './rendered-objects';
import { SERVER_CONFIG } from './server-config';

type Labels = Readonly<Record<string, string>>;

interface RenderedDeployment {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: { readonly containers: readonly [RenderedContainer]; readonly volumes: readonly RenderedVolume[] };
    };
  };
}

interface RenderedVolume {
  readonly configMap?: object;
}

interface RenderedContainer {
  readonly env: readonly { readonly name: string }[];
}

/**
 * Secrets that Envoy Gateway reads itself, by its role. Its pods have them as volumes so that they start once these are there:
 * what it cannot ask its extension as it starts, it does not ask again.
 */
const AWAITED = [INFERENCE_POOL_SECRETS.ca, INFERENCE_POOL_SECRETS.envoyGateway];

/** Labels by which Envoy Gateway's pods are found. */
export function selectorOf(objects: readonly RenderedObject[]): Record<string, string> {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('rendered.json has no Deployment: render it anew');
  return { ...(deployment as unknown as RenderedDeployment).spec.selector.matchLabels };
}

/** Envoy Gateway's Deployment, with what an installation says of its pods. */
export function gatewayDeployment(object: RenderedObject, values: CompleteInstallValues): RenderedObject {
  const { spec } = object as unknown as RenderedDeployment;
  const { envoyGateway } = values;
  const { template } = spec;
  const [container] = template.spec.containers;
  return {
    ...object,
    spec: {
      ...spec,
      replicas: envoyGateway.replicas,
      template: {
        metadata: podMetadata(template.metadata.labels, scrapeAnnotations(19001), envoyGateway),
        spec: {
          ...template.spec,
          ...placement(spec.selector.matchLabels, envoyGateway, values),
          initContainers: [waitForCrds(values)],
          volumes: [
            ...template.spec.volumes.map((volume) => (volume.configMap ? configured(volume) : volume)),
            ...AWAITED.map((secretName) => ({ name: secretName, secret: { secretName } })),
          ],
          containers: [
            {
              ...container,
              image: imageOf('envoyGateway', values),
              imagePullPolicy: values.imagePullPolicy,
              resources: envoyGateway.resources,
              env: concatenated<unknown>(environment(container, values), envoyGateway.env),
            },
          ],
        },
      },
    },
  };
}

const configured = (volume: RenderedVolume) => ({ ...volume, configMap: { ...volume.configMap, name: SERVER_CONFIG } });

function environment({ env }: RenderedContainer, { clusterDomain }: CompleteInstallValues) {
  return env.map((variable) =>
    variable.name === 'KUBERNETES_CLUSTER_DOMAIN' ? { ...variable, value: clusterDomain } : variable,
  );
}

/** At its start Envoy Gateway passes over kinds that the API server does not serve, and never looks again. */
function waitForCrds(values: CompleteInstallValues) {
  return {
    name: 'wait-for-crds',
    image: imageOf('gateway', values),
    imagePullPolicy: values.imagePullPolicy,
    args: ['wait-for-crds'],
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: RESTRICTED_CONTAINER,
  };
}
