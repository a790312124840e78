import { isRecord, items, propertyAt, textOf } from '../../../api/validation/loose';
import type { Context, Scheduler } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { GROUP, SCHEDULER_LABEL, schedulerNames } from '../names';

/** What the EndpointSlices of a scheduler follow from. */
export type ModelPods = Pick<Scheduler, 'name' | 'modelSelector' | 'targetPort' | 'appProtocol'>;

/** Name of the port of the Service and of its EndpointSlices. */
export const MODEL_PORT_NAME = 'http';

/**
 * By which the route names it. The pods' own port is that of the EndpointSlices; were it this one too, an edit would have route
 * and Service at odds for a moment.
 */
export const MODEL_SERVICE_PORT = 80;

/** On the Service: the `modelSelector` whose pods its EndpointSlices have. */
const SELECTOR_ANNOTATION = `${GROUP}/model-selector`;

/** Without a selector: the EndpointSlices are the controller's, by the whole of `modelSelector`. */
export function modelService({ namespace, make }: Context, scheduler: Scheduler): KubernetesObject {
  const { name, modelSelector, targetPort, appProtocol } = scheduler;
  return make(
    'v1',
    'Service',
    {
      name: schedulerNames(scheduler).endpoints,
      namespace,
      scheduler: name,
      annotations: { [SELECTOR_ANNOTATION]: JSON.stringify(modelSelector) },
    },
    {
      spec: {
        clusterIP: 'None',
        ports: [{ name: MODEL_PORT_NAME, port: MODEL_SERVICE_PORT, targetPort, protocol: 'TCP', appProtocol }],
      },
    },
  );
}

/**
 * What the EndpointSlices of such a Service follow from, whatever a config says by now. Undefined where the object is none,
 * or does not say it.
 */
export function modelPodsOf({ kind, metadata, spec }: KubernetesObject): ModelPods | undefined {
  const name = metadata.labels?.[SCHEDULER_LABEL];
  const modelSelector = selectorIn(metadata.annotations?.[SELECTOR_ANNOTATION]);
  const port = items(propertyAt(spec, 'ports')).find((one) => propertyAt(one, 'name') === MODEL_PORT_NAME);
  const targetPort = propertyAt(port, 'targetPort');
  const appProtocol = textOf(propertyAt(port, 'appProtocol'));
  if (kind !== 'Service' || name === undefined || metadata.name !== schedulerNames({ name }).endpoints)
    return undefined;
  if (modelSelector === undefined || typeof targetPort !== 'number' || appProtocol === undefined) return undefined;
  return { name, modelSelector, targetPort, appProtocol: appProtocol as ModelPods['appProtocol'] };
}

/** One that selects everything is none: every pod of the namespace would get requests. */
function selectorIn(text: string | undefined): ModelPods['modelSelector'] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const labels = propertyAt(value, 'matchLabels') ?? {};
    const expressions = items(propertyAt(value, 'matchExpressions'));
    if (!isRecord(labels) || Object.keys(labels).length + expressions.length === 0) return undefined;
    return value as ModelPods['modelSelector'];
  } catch {
    return undefined;
  }
}
