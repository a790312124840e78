import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { type ModelPods, modelPodsOf } from '../../lib/translate/cluster/schedulers/model-service';
import type { EndpointSlicesLoop } from './endpoint-slices-loop';
import type { Owner } from './owner';
import type { Watches } from './watches';

interface Running {
  readonly watches: Pick<Watches, 'owned'>;
  readonly slices: Pick<EndpointSlicesLoop, 'followed'>;
}

/**
 * The schedulers of a gateway as they run, whatever its config says by now: their pods come and go all the same. What is
 * followed already is newer than what informers know.
 */
export function runningSchedulers(owner: Owner, { watches, slices }: Running): readonly ModelPods[] {
  const followed = slices.followed(owner);
  return watches
    .owned(owner)
    .map((object: KubernetesObject) => modelPodsOf(object))
    .filter((pods) => pods !== undefined)
    .map((pods) => followed.get(pods.name) ?? pods);
}
