import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { isAttached } from '../../../../lib/translate/cluster/status/attachment';
import { type Bench, INSTALLATION } from './bench';

/** What Envoy Gateway would say of everything as it is now. */
export function judge(bench: Bench): void {
  const condition = (object: KubernetesObject, type: string) => ({
    ...{ type, status: 'True', reason: type, message: '' },
    observedGeneration: object.metadata.generation,
  });
  const ref = { name: 'gw', namespace: INSTALLATION.systemNamespace };
  const controllerName = INSTALLATION.gatewayControllerName;
  for (const object of bench.made()) {
    const place = { controllerName, conditions: [condition(object, 'Accepted')] };
    const conditions = [condition(object, 'Accepted'), condition(object, 'Programmed')];
    const status =
      object.kind === 'Gateway'
        ? { conditions, listeners: [] }
        : object.kind === 'HTTPRoute'
          ? { parents: [{ parentRef: ref, ...place }] }
          : { ancestors: [{ ancestorRef: ref, ...place }] };
    if (object.kind === 'Gateway' || isAttached(object)) bench.edit(object, (it) => Object.assign(it, { status }));
  }
}
