import type {
  EndpointPicker,
  PendingPick,
  PickedEndpoints,
  PickRequest,
  PickResult,
} from '../../endpoint-picker/endpoint-picker';
import type { PickerMessage } from '../wire/picker-messages';
import { frames } from '../wire/router-messages';
import { InFlightTickets } from './in-flight-tickets';
import type { PickerTarget } from './picker-address';
import { compareReplicas } from './preference';
import { RemotePick } from './remote-pick';
import type { Replica, ReplicaContext } from './replica';
import { ReplicaDirectory } from './replica-directory';
import { type Resolve, resolveHost } from './resolve-host';

export interface RemotePickerOptions
  extends Pick<ReplicaContext, 'gateway' | 'router' | 'boot' | 'tls' | 'clock' | 'random' | 'log'> {
  readonly targets: readonly PickerTarget[];
  /** The longest that a request may be held for the scheduler, milliseconds. */
  readonly longestHoldMs: (scheduler: string) => number;
  /** Milliseconds, default 250; see `ANSWER_DEADLINE_MS`. */
  readonly answerDeadlineMs?: number;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Told of each pick that no replica made. */
  onNoAnswer?(scheduler: string): void;
}

export interface RemotePicker extends EndpointPicker {
  /** From now on these are the targets. Picks that are awaited of others become `no-answer`. */
  follow(targets: readonly PickerTarget[]): void;
  /** Some replica of the scheduler knows an endpoint that is ready, by its last word. */
  hasEndpoints(scheduler: string): boolean;
  /** Replicas connected now. */
  connected(): number;
  /** Resolves true once some replica of every target is connected, false after `timeoutMs`. */
  untilConnected(timeoutMs: number): Promise<boolean>;
  /** Ends every connection. Picks that are awaited become `no-answer`; tickets may still be used. */
  close(): void;
}

/**
 * A picker answers from memory, in well under a millisecond, and its pauses (collecting garbage, reading a large state)
 * are some tens. After this a client is better served by Envoy's own balancing than by waiting on. Milliseconds.
 */
const ANSWER_DEADLINE_MS = 250;

/** A replica refuses a held request itself when its time is over; then this long. Milliseconds. */
const HELD_SLACK_MS = 1_000;

/** One that is late and another in its place; of those that were lost meanwhile no more than that either. */
const MAX_REPLICAS_ASKED = 3;
const MAX_LATE = 2;

/**
 * Picks by replicas in other processes. The picks of a scheduler go to one of them, the same for every router; all of
 * them are told of each pick and of what became of it, so that any can take over at once.
 */
export function remotePicker(options: RemotePickerOptions): RemotePicker {
  const { clock, log, answerDeadlineMs = ANSWER_DEADLINE_MS } = options;
  const awaited = new Map<number, RemotePick>();
  const tickets = new InFlightTickets((scheduler, frame) => {
    for (const replica of directory.of(scheduler)) replica.send(frame);
  });
  let ids = 0;
  let closed = false;
  let connectionChanged = () => {};

  /** Not one of those that were asked already. */
  function choose({ request: { scheduler }, asked }: RemotePick): Replica | undefined {
    let best: Replica | undefined;
    for (const replica of directory.of(scheduler)) {
      if (!replica.serves(scheduler) || asked.includes(replica)) continue;
      if (best === undefined || isBefore(replica, best, scheduler)) best = replica;
    }
    return best;
  }

  function ask(pick: RemotePick): void {
    const { request, asked } = pick;
    const replica = asked.length < MAX_REPLICAS_ASKED ? choose(pick) : undefined;
    if (replica === undefined) {
      settle(pick, { outcome: 'no-answer' });
      return;
    }
    const heldMs = (request.heldMs ?? 0) + (asked.length === 0 ? 0 : clock() - pick.at);
    asked.push(replica);
    pick.isQueued = false;
    replica.send(frames.pick(pick.id, heldMs === 0 ? request : { ...request, heldMs }), true);
    pick.await(answerDeadlineMs, () => expired(pick));
  }

  function expired(pick: RemotePick): void {
    // How long it holds a request is a replica's own affair; one that has not even said that it does is taken for stuck.
    if (!pick.isQueued) pick.replica?.isLate();
    if (pick.isQueued || pick.asked.length >= MAX_LATE) settle(pick, { outcome: 'no-answer' });
    else ask(pick);
  }

  function settle(pick: RemotePick, result: PickResult): void {
    awaited.delete(pick.id);
    if (result.outcome === 'no-answer') options.onNoAnswer?.(pick.request.scheduler);
    if (result.outcome !== 'picked') withdraw(pick);
    pick.settle(result);
  }

  /** Whoever was asked forgets the request, picked or not. */
  function withdraw(pick: RemotePick): void {
    awaited.delete(pick.id);
    for (const replica of pick.asked) replica.send(frames.cancel(pick.id));
  }

  function received(replica: Replica, message: PickerMessage): void {
    if (message.type === 'goodbye') {
      directory.lookAgain(replica);
      leaveIfSpare(replica);
    }
    const pick = 'id' in message ? awaited.get(message.id) : undefined;
    if (pick === undefined) return;
    // The pick of one that was late is taken if it comes first; its refusal is not, for another has been asked.
    if (message.type === 'picked' && pick.asked.includes(replica)) accept(pick, replica, message.picked);
    else if (pick.replica === replica) proceed(pick, message);
  }

  function accept(pick: RemotePick, by: Replica, picked: Omit<PickedEndpoints, 'ticket'>): void {
    const { id, request } = pick;
    const ticket = tickets.enter(id, request, picked.endpoints[0]!);
    const others = directory.of(request.scheduler).filter((replica) => replica !== by && replica.isConnected);
    if (others.length > 0) {
      const frame = frames.told(id, request, picked.endpoints, picked.matchedBlocks ?? 0);
      for (const other of others) other.send(frame);
    }
    settle(pick, { ...picked, ticket });
  }

  function proceed(pick: RemotePick, message: PickerMessage): void {
    if (message.type === 'undecided') ask(pick);
    if (message.type === 'queued') {
      pick.isQueued = true;
      const heldMs = (pick.request.heldMs ?? 0) + clock() - pick.at;
      pick.await(options.longestHoldMs(pick.request.scheduler) + HELD_SLACK_MS - heldMs, () => expired(pick));
    }
    if (message.type === 'refused') {
      const isElsewhere = message.refused.outcome === 'shutting-down' && choose(pick) !== undefined;
      if (isElsewhere) ask(pick);
      else settle(pick, message.refused);
    }
  }

  /** Picks that are awaited from a replica that goes are asked for elsewhere. */
  function moveFrom(replica: Replica): void {
    for (const pick of [...awaited.values()]) {
      if (pick.replica !== replica) continue;
      replica.send(frames.cancel(pick.id));
      ask(pick);
    }
  }

  /** A replica that says goodbye is left at once where others can do its work, else when they can. */
  function leaveIfSpare(replica: Replica): void {
    const others = directory.all().filter((other) => other.isConnected && !other.isLeaving);
    const covered = new Set(others.flatMap((other) => [...directory.schedulersOf(other)]));
    if (![...directory.schedulersOf(replica)].every((scheduler) => covered.has(scheduler))) return;
    moveFrom(replica);
    replica.leave('it said goodbye');
  }

  function warnOfNamesakes(replica: Replica): void {
    const { replica: name } = replica.ranked;
    const other = directory.all().find((one) => one !== replica && one.isConnected && one.ranked.replica === name);
    if (other === undefined) return;
    log.warn(
      { replica: name, pickers: [other.place.key, replica.place.key] },
      'two pickers have one name, by which routers agree on whom to ask: give each its own with --name',
    );
  }

  const context: ReplicaContext = {
    ...options,
    isKnown: (hello) => directory.all().some((replica) => replica.isSameLife(hello)),
    connected(replica) {
      warnOfNamesakes(replica);
      for (const part of tickets.snapshot((scheduler) => directory.of(scheduler).includes(replica))) replica.send(part);
      for (const other of directory.all()) if (other.isConnected && other.isLeaving) leaveIfSpare(other);
      connectionChanged();
    },
    received,
    lost(replica) {
      directory.lost(replica);
      moveFrom(replica);
    },
  };
  const directory = new ReplicaDirectory(options.resolve ?? resolveHost, context, log);
  directory.follow(options.targets);

  return {
    pick(request: PickRequest): PickResult | PendingPick {
      if (closed) return { outcome: 'no-answer' };
      const pick = new RemotePick(++ids, request, clock(), withdraw);
      awaited.set(pick.id, pick);
      ask(pick);
      return pick;
    },
    follow(targets) {
      if (!closed) directory.follow(targets);
    },
    hasEndpoints: (scheduler) => directory.of(scheduler).some((replica) => replica.hasEndpoints(scheduler)),
    connected: () => directory.all().filter((replica) => replica.isConnected).length,
    untilConnected: (timeoutMs) =>
      new Promise((resolve) => {
        const end = (result: boolean) => {
          clearTimeout(timer);
          connectionChanged = () => {};
          resolve(result);
        };
        const timer = setTimeout(end, timeoutMs, false);
        connectionChanged = () => {
          if (closed || directory.isConnected()) end(!closed);
        };
        connectionChanged();
      }),
    close() {
      closed = true;
      connectionChanged();
      for (const pick of [...awaited.values()]) settle(pick, { outcome: 'no-answer' });
      directory.close();
    },
  };
}

/** Those that leave are asked last. */
function isBefore(a: Replica, b: Replica, scheduler: string): boolean {
  if (a.isLeaving !== b.isLeaving) return b.isLeaving;
  return compareReplicas(a.ranked, b.ranked, a.rank(scheduler), b.rank(scheduler)) < 0;
}
