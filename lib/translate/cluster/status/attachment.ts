import { items, propertyAt, textOf } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { gatewayNames, SCHEDULER_LABEL } from '../names';
import { byKey, objectKey } from '../object-key';
import type { Installation } from '../types';
import { conditionIn } from './conditions';
import { isAimed } from './policy-aim';

/** Kinds of which Envoy Gateway says whether it has taken an object. */
const ATTACHED: ReadonlySet<string> = new Set([
  'HTTPRoute',
  'BackendTLSPolicy',
  'BackendTrafficPolicy',
  'ClientTrafficPolicy',
  'EnvoyExtensionPolicy',
  'SecurityPolicy',
]);

export function isAttached({ kind }: Pick<KubernetesObject, 'kind'>): boolean {
  return ATTACHED.has(kind);
}

/** What Envoy Gateway makes of a route or a policy. */
export interface Attachment {
  readonly kind: string;
  /** Of which it is the route; undefined where it is the whole gateway's. */
  readonly scheduler: string | undefined;
  readonly verdict: Verdict;
  /** Names it, and says why where it is not accepted. */
  readonly message: string;
}

/** `missing`: it is not in the cluster yet. `pending`: nothing has been said yet of its present spec. */
type Verdict = 'accepted' | 'pending' | 'missing' | 'refused';

/** Who has to accept them: Envoy Gateway, as children of the one Gateway. */
export interface Judge {
  readonly controllerName: string;
  readonly gateway: { readonly name: string; readonly namespace: string };
}

export function judgeOf(
  { metadata: { name, namespace = 'default' } }: KubernetesObject,
  { gatewayControllerName, systemNamespace }: Pick<Installation, 'gatewayControllerName' | 'systemNamespace'>,
): Judge {
  const { gateway } = gatewayNames({ metadata: { name, namespace } });
  return { controllerName: gatewayControllerName, gateway: { name: gateway, namespace: systemNamespace } };
}

/** Of all routes and policies that are there, and of those that are `desired` and are not. */
export function attachmentsOf(
  desired: readonly KubernetesObject[],
  attached: readonly KubernetesObject[],
  judge: Judge,
): readonly Attachment[] {
  const there = new Set(attached.map(objectKey));
  const missing = desired.filter((object) => isAttached(object) && !there.has(objectKey(object)));
  const staying = attached.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [
    ...missing.map((object) => attachment(object, 'missing', 'is not there yet')),
    ...staying
      .filter((object) => isAimed(object, attached))
      .sort(byKey)
      .map((object) => judged(object, judge)),
  ];
}

function judged(object: KubernetesObject, { controllerName, gateway }: Judge): Attachment {
  const { metadata, status } = object;
  const places = [...items(propertyAt(status, 'parents')), ...items(propertyAt(status, 'ancestors'))].filter(
    (place) => propertyAt(place, 'controllerName') === controllerName,
  );
  const presently = (place: unknown, type: string) => {
    const condition = conditionIn(propertyAt(place, 'conditions'), type);
    return condition !== undefined && condition.observedGeneration >= (metadata.generation ?? 0)
      ? condition
      : undefined;
  };
  const refusal = places
    .flatMap((place) => ['Accepted', 'ResolvedRefs'].map((type) => presently(place, type)))
    .find((condition) => condition?.status === 'False');
  if (refusal !== undefined) {
    const { kind } = object;
    const message = `${kind} ${metadata.namespace}/${metadata.name}: ${refusal.message ?? refusal.reason}`;
    return { ...attachment(object, 'refused', ''), message };
  }
  const isAccepted = places.some((place) => {
    const ref = propertyAt(place, 'parentRef') ?? propertyAt(place, 'ancestorRef');
    const namespace = textOf(propertyAt(ref, 'namespace')) ?? metadata.namespace;
    const isOurs = propertyAt(ref, 'name') === gateway.name && namespace === gateway.namespace;
    return isOurs && presently(place, 'Accepted')?.status === 'True';
  });
  return isAccepted
    ? attachment(object, 'accepted', 'is accepted')
    : attachment(
        object,
        'pending',
        'waits for Envoy Gateway to take it; if that lasts, see whether Envoy Gateway runs',
      );
}

function attachment({ kind, metadata }: KubernetesObject, verdict: Verdict, what: string): Attachment {
  const scheduler = metadata.labels?.[SCHEDULER_LABEL];
  return { kind, scheduler, verdict, message: `${kind} ${metadata.namespace}/${metadata.name} ${what}.` };
}
