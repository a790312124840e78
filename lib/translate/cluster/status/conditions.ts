import { items, propertyAt, textOf } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';

/** A condition of the status. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number | undefined;
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** Whether something holds, and why. */
export interface Finding {
  readonly holds: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The most that a condition's message may have is 32768 bytes; of many faults the first are enough. */
const MOST_CHARACTERS = 2_000;

/** Conditions of what was found, by their former ones: a status that has not changed keeps its time. */
export function conditionsOf(
  findings: Readonly<Record<string, Finding>>,
  former: unknown,
  generation: number | undefined,
  now: string,
): Condition[] {
  return Object.entries(findings).map(([type, { holds, reason, message }]) => {
    const status = holds ? 'True' : 'False';
    const before = items(former).find((one) => propertyAt(one, 'type') === type);
    const since =
      propertyAt(before, 'status') === status ? textOf(propertyAt(before, 'lastTransitionTime')) : undefined;
    return {
      type,
      status,
      ...(generation !== undefined && { observedGeneration: generation }),
      lastTransitionTime: since ?? now,
      reason,
      message: message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS - 1)}…` : message,
    };
  });
}

/** A condition that others have set on an object. */
export interface SeenCondition {
  readonly status: string | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** 0 where it is not told. */
  readonly observedGeneration: number;
}

export function conditionIn(conditions: unknown, type: string): SeenCondition | undefined {
  const found = items(conditions).find((one) => propertyAt(one, 'type') === type);
  if (found === undefined) return undefined;
  return {
    status: textOf(propertyAt(found, 'status')),
    reason: textOf(propertyAt(found, 'reason')),
    message: textOf(propertyAt(found, 'message')),
    observedGeneration: Number(propertyAt(found, 'observedGeneration') ?? 0),
  };
}

/** Whether the status of an object is about its present spec. */
export function isSeen({ metadata, status }: KubernetesObject): boolean {
  return Number(propertyAt(status, 'observedGeneration') ?? 0) >= (metadata.generation ?? 0);
}
