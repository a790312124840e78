import { k8s } from 'cdk8s-plus-28';
import { spread } from '../translate/cluster/pods/placement';
import { merged, unlessEmpty, when } from './template/choice';
import { expressionIn, valueExpression } from './template/expression';
import type { CompleteInstallValues } from './values/install-values';

/* What the Deployments of an installation have in common. */

export type PodValues = CompleteInstallValues['controller'] | CompleteInstallValues['envoyGateway'];

/** Name of the template that `references` includes. */
export const REFERENCES_TEMPLATE = 'inference-gateway.references';

/** Pod Security "restricted". */
export const RESTRICTED_POD = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

/** Where the pods run and what they are pulled with: fields of a pod's spec. */
export function placement(selector: Readonly<Record<string, string>>, pod: PodValues, values: CompleteInstallValues) {
  return {
    imagePullSecrets: when(values.imagePullSecrets, references(values.imagePullSecrets)),
    nodeSelector: unlessEmpty(pod.nodeSelector),
    tolerations: unlessEmpty(pod.tolerations),
    affinity: unlessEmpty(pod.affinity),
    priorityClassName: unlessEmpty(pod.priorityClassName),
    topologySpreadConstraints: spread(selector),
  };
}

/** Nodes are drained of one pod after the other; one that is not ready anyway, as while a CRD is missing, is never waited for. */
export function disruptionLimits(matchLabels: Readonly<Record<string, string>>) {
  return {
    maxUnavailable: k8s.IntOrString.fromNumber(1),
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: { matchLabels },
  };
}

/** Metadata of the pods. Their own labels stay, as they are found by them; annotations may be set otherwise. */
export function podMetadata(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  pod: PodValues,
) {
  return { labels: merged(labels, pod.podLabels), annotations: merged(pod.podAnnotations, annotations) };
}

/** For Prometheus servers that find pods by annotations. */
export function scrapeAnnotations(port: number): Record<string, string> {
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) };
}

/** `[{name: a}]` of `[a]`. */
function references(names: readonly string[]): readonly { readonly name: string }[] {
  const expression = expressionIn(names);
  if (expression === undefined) return names.map((name) => ({ name }));
  return valueExpression(`(fromJsonArray (include ${JSON.stringify(REFERENCES_TEMPLATE)} ${expression}))`);
}
