import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { ApiClient } from './api-client';
import { isApiError } from './api-error';
import { createBackoff } from './backoff';
import type { Clock } from './clock';
import { cutText } from './cut-text';
import { microTime } from './micro-time';
import { resourceOf } from './resources';

export interface EventRecorderOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Who reports: `example.com/controller`. Also the field manager. */
  readonly controller: string;
  /** Which of its processes: the name of the pod. */
  readonly instance: string;
  /** Drops what has not been sent. */
  readonly signal: AbortSignal;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** Why, one word in CamelCase. */
  readonly reason: string;
  /** What was done or refused, one word in CamelCase. */
  readonly action: string;
  /** For a person; cut to 1 kB. */
  readonly note: string;
}

export interface EventRecorder {
  /** Returns at once and never throws: an event that cannot be sent is dropped. */
  record(object: KubernetesObject, event: ObjectEvent): void;
}

const EVENTS = resourceOf('events.k8s.io/v1', 'Event');

/** The API server's limit. Bytes. */
const MAX_NOTE_BYTES = 1024;

/** The same again within this time only counts. Milliseconds. */
const SAME_MS = 600_000;

/** A count is written no more often than this. Milliseconds. */
const COUNT_MS = 60_000;

/** Of one object: so many at once, and one more each minute. */
const BURST = 10;
const REFILL_MS = 60_000;

/** What is remembered, and what may wait to be sent. */
const MAX_SERIES = 1_000;
const MAX_WAITING = 100;

const TRIES = 4;

interface Series {
  readonly event: KubernetesObject;
  readonly at: number;
  count: number;
  lastAt: number;
  /** As last sent. */
  sentAt: number;
}

interface Budget {
  tokens: number;
  at: number;
}

/**
 * Tells of an object by Events. The same event within 10 minutes becomes a count of the first; an object that is told of too
 * often is told of less.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, random, log, controller, instance, signal } = options;
  const series = new Map<string, Series>();
  const budgets = new Map<string, Budget>();
  const waiting = new Set<Series>();
  let sending = false;

  function record(object: KubernetesObject, event: ObjectEvent): void {
    const note = cutText(event.note, MAX_NOTE_BYTES);
    const key = JSON.stringify([object.kind, object.metadata.namespace, object.metadata.name, event.reason, note]);
    const now = clock.now();
    const former = series.get(key);
    if (former !== undefined && now - former.at < SAME_MS) {
      former.count += 1;
      former.lastAt = clock.wall();
      if (now - former.sentAt >= COUNT_MS) enqueue(former, now);
      return;
    }
    if (!spend(object.metadata.uid ?? key, now)) return;
    const wall = clock.wall();
    const made = newEvent(object, { ...event, note }, { controller, instance, wall, key });
    const entry: Series = { event: made, at: now, count: 1, lastAt: wall, sentAt: now };
    remember(series, key, entry);
    enqueue(entry, now);
  }

  /** Whether one more may be told of this object. */
  function spend(object: string, now: number): boolean {
    const budget = budgets.get(object) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, budget.tokens + (now - budget.at) / REFILL_MS);
    const allowed = tokens >= 1;
    remember(budgets, object, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed;
  }

  function enqueue(entry: Series, now: number): void {
    if (waiting.size >= MAX_WAITING) return;
    entry.sentAt = now;
    waiting.add(entry);
    if (!sending) void sendAll();
  }

  async function sendAll(): Promise<void> {
    sending = true;
    for (const entry of waiting) {
      waiting.delete(entry);
      if (!signal.aborted) await send(entry);
    }
    sending = false;
  }

  async function send(entry: Series): Promise<void> {
    const backoff = createBackoff(1_000, 10_000, random);
    for (let tries = 1; ; tries++) {
      try {
        await client.apply(EVENTS, withCount(entry), { fieldManager: controller, force: true, signal });
        return;
      } catch (error) {
        const isFinal = isApiError(error) && error.code >= 400 && error.code < 500 && error.code !== 429;
        if (signal.aborted) return;
        if (isFinal || tries === TRIES) {
          log.warn(`an event was not recorded: ${(error as Error).message}`);
          return;
        }
        await clock.sleep(backoff.next(), signal);
      }
    }
  }

  return { record };
}

interface Reporter {
  readonly controller: string;
  readonly instance: string;
  readonly wall: number;
  readonly key: string;
}

function newEvent(
  object: KubernetesObject,
  { type, reason, action, note }: ObjectEvent,
  { controller, instance, wall, key }: Reporter,
): KubernetesObject {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const hash = createHash('sha256').update(`${key}\n${instance}\n${wall}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    // Events of objects that have no namespace are in this one.
    metadata: { name: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${hash}`, namespace: namespace ?? 'default' },
    eventTime: microTime(wall),
    reportingController: controller,
    reportingInstance: instance,
    type,
    reason,
    action,
    note,
    regarding: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

function withCount({ event, count, lastAt }: Series): KubernetesObject {
  return count === 1 ? event : { ...event, series: { count, lastObservedTime: microTime(lastAt) } };
}

/** The oldest entry leaves a full map. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_SERIES) map.delete(map.keys().next().value!);
}
