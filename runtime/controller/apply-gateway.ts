import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { resourceOf } from '../kubernetes/resources';
import type { AppliedObjects } from './applied-objects';
import { applyWaves } from './apply-order';
import type { Disputes } from './disputes';
import { inTurns } from './in-turns';
import type { ControllerMetrics } from './metrics';
import { codeOf, schedulerOf, type WriteFailure } from './write-failure';

export interface ApplyOptions {
  readonly client: ApiClient;
  readonly applied: AppliedObjects;
  readonly disputes: Pick<Disputes, 'look'>;
  /** The object as the informers have it. */
  readonly seen: (object: KubernetesObject) => KubernetesObject | undefined;
  readonly metrics: Pick<ControllerMetrics, 'applied' | 'failed'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ApplyResult {
  readonly failures: readonly WriteFailure[];
  /** When something is to be applied that was not now. Milliseconds from now. */
  readonly dueIn?: number;
}

/** Writes under way at the same time. */
const CONCURRENCY = 8;

/**
 * Applies what differs, kind after kind. What could not be written holds up what comes after it: an object of one scheduler
 * that scheduler alone, any other the whole gateway.
 */
export async function applyObjects(objects: readonly KubernetesObject[], options: ApplyOptions): Promise<ApplyResult> {
  const failures: WriteFailure[] = [];
  let dueIn = Number.POSITIVE_INFINITY;
  for (const wave of applyWaves(objects)) {
    const open = wave.filter((object) => !isHeldUp(object, failures));
    await inTurns(open, CONCURRENCY, async (object) => {
      const due = options.applied.dueIn(object, options.seen(object), options.clock.now());
      if (due === undefined) return;
      if (due > 0) {
        dueIn = Math.min(dueIn, due);
        return;
      }
      const answer = await applyObject(object, options);
      if (answer instanceof Error) failures.push({ object, error: answer });
    });
  }
  // Whichever answer came first: what is told must not change from one try to the next.
  const order = new Map(objects.map((object, index) => [object, index]));
  const place = ({ object }: WriteFailure) => order.get(object) ?? 0;
  failures.sort((a, b) => place(a) - place(b));
  return { failures, ...(Number.isFinite(dueIn) && { dueIn }) };
}

/** Whether a failure before it leaves the object as it is. */
export function isHeldUp(object: KubernetesObject, failures: readonly WriteFailure[]): boolean {
  return failures.some((failure) => {
    const scheduler = schedulerOf(failure.object);
    return scheduler === undefined || scheduler === schedulerOf(object);
  });
}

/** As the API server gave it back, or why it could not be written. Rejects only where `signal` aborts. */
export async function applyObject(
  object: KubernetesObject,
  { client, applied, disputes, metrics, clock, signal }: Omit<ApplyOptions, 'seen'>,
): Promise<KubernetesObject | Error> {
  try {
    await disputes.look(object, signal);
    const resource = resourceOf(object.apiVersion, object.kind);
    const answer = await client.apply(resource, object, { fieldManager: MANAGER, force: true, signal });
    applied.remember(object, answer, clock.now());
    metrics.applied(object.kind);
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    metrics.failed(object.kind, codeOf(error as Error));
    return error as Error;
  }
}
