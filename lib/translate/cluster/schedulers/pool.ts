import type { Context, Scheduler } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { PORTS, schedulerNames } from '../names';
import type { Problem } from '../types';

/**
 * The InferencePool of a scheduler: what objectives and rewrites refer to, and what other gateways read. Its selector
 * has no expressions. One that says no more than labels do is written as labels; for any other there is no pool, rather
 * than one with pods that are not the scheduler's.
 */
export function inferencePool({ namespace, make }: Context, scheduler: Scheduler): KubernetesObject | Problem {
  const matchLabels = labelsOf(scheduler);
  const { pool, picker } = schedulerNames(scheduler);
  if (matchLabels === undefined) {
    return {
      scheduler: scheduler.name,
      reason: 'PoolNotExpressible',
      message:
        'an InferencePool cannot have the matchExpressions of modelSelector, so that there is none for other gateways; to have one, use matchLabels alone',
      blocks: false,
    };
  }
  return make(
    'inference.networking.k8s.io/v1',
    'InferencePool',
    { name: pool, namespace, scheduler: scheduler.name },
    {
      spec: {
        selector: { matchLabels },
        targetPorts: [{ number: scheduler.targetPort }],
        appProtocol: scheduler.appProtocol,
        endpointPickerRef: {
          group: '',
          kind: 'Service',
          name: picker,
          port: { number: PORTS.endpointPicker },
          failureMode: 'FailOpen',
        },
      },
    },
  );
}

function labelsOf({ modelSelector }: Scheduler): Readonly<Record<string, string>> | undefined {
  const labels = new Map(Object.entries(modelSelector.matchLabels ?? {}));
  for (const { key, operator, values = [] } of modelSelector.matchExpressions ?? []) {
    const [value] = values;
    const isEquality = operator === 'In' && values.length === 1 && value !== undefined;
    if (!isEquality || (labels.get(key) ?? value) !== value) return undefined;
    labels.set(key, value);
  }
  return labels.size > 64 ? undefined : Object.fromEntries(labels);
}
