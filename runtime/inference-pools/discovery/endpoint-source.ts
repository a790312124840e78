import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { ClusterLoadAssignmentSchema } from '../../envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import { type AbortScope, abortScope } from '../../kubernetes/abort-scope';
import { type FollowedResource, type FollowOptions, followResource } from './followed-resource';

/** Endpoints by name of the resource, for as long as somebody wants them. */
export interface EndpointSource {
  /**
   * Calls back with what is known now or becomes known, and with each change, until the answer is called: with a
   * ClusterLoadAssignment, packed once for all who want it.
   */
  subscribe(resource: string, onAssignment: (assignment: Any) => void): () => void;
}

/** Changes of a burst are told together. Milliseconds. */
const TOGETHER_MS = 20;

/** Followed so long after the last Envoy has gone, which may only have lost its connection. Milliseconds. */
const LINGER_MS = 60_000;

/** Names that are followed at once: an Envoy asks for what its configuration has, which others have bounded. */
const MOST_RESOURCES = 10_000;

interface Followed {
  readonly resource: FollowedResource;
  readonly listeners: Set<(assignment: Any) => void>;
  told: Any | undefined;
  /** What has changed is told soon. */
  isDue: boolean;
  /** Nobody wants it any more; ended when somebody does. */
  lingering: AbortScope | undefined;
}

export function createEndpointSource(options: FollowOptions): EndpointSource {
  const { clock, signal } = options;
  const followed = new Map<string, Followed>();

  function follow(name: string): Followed {
    if (followed.size >= MOST_RESOURCES) throw new Error(`more than ${MOST_RESOURCES} names are asked for`);
    const one: Followed = {
      resource: followResource(name, options, () => later(one)),
      listeners: new Set(),
      told: undefined,
      isDue: false,
      lingering: undefined,
    };
    followed.set(name, one);
    return one;
  }

  function later(one: Followed): void {
    if (one.isDue) return;
    one.isDue = true;
    void clock.sleep(TOGETHER_MS, signal).then(() => tell(one));
  }

  function tell(one: Followed): void {
    one.isDue = false;
    if (signal.aborted) return;
    const known = one.resource.current();
    if (known === undefined) return;
    const next = anyPack(ClusterLoadAssignmentSchema, known);
    if (one.told && Buffer.compare(one.told.value, next.value) === 0) return;
    one.told = next;
    for (const listener of one.listeners) listener(next);
  }

  function release(name: string, one: Followed): void {
    if (one.listeners.size > 0 || one.lingering !== undefined) return;
    const lingering = abortScope(signal);
    one.lingering = lingering;
    void clock.sleep(LINGER_MS, lingering.signal).then(() => {
      lingering.release();
      if (one.lingering !== lingering) return;
      one.resource.stop();
      followed.delete(name);
    });
  }

  return {
    subscribe(name, onAssignment) {
      const one = followed.get(name) ?? follow(name);
      const { lingering } = one;
      one.lingering = undefined;
      lingering?.abort();
      one.listeners.add(onAssignment);
      if (one.told) onAssignment(one.told);
      else later(one);
      return () => {
        one.listeners.delete(onAssignment);
        release(name, one);
      };
    },
  };
}
