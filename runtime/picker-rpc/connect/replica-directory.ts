import type { Logger } from 'pino';
import { type AddressFollower, followAddress, type Place } from './address-follower';
import { addressText, type PickerTarget } from './picker-address';
import { Replica, type ReplicaContext } from './replica';
import type { Resolve } from './resolve-host';

/** Distinct places of all targets: hundreds of schedulers with a few replicas each. */
const MAX_PLACES = 4_096;

interface FollowedTarget {
  readonly target: PickerTarget;
  places: readonly Place[];
  follower: AddressFollower | undefined;
}

type Schedulers = ReadonlySet<string | undefined>;

/** Which replicas there are, as targets and their addresses come and go, and which of them are a scheduler's. */
export class ReplicaDirectory {
  private readonly replicas = new Map<string, Replica>();
  private readonly targets = new Map<string, FollowedTarget>();
  private ownSchedulers: Schedulers = new Set();
  /** Those whose address has left its target, with what they were for. They are used as long as their connection stands. */
  private readonly retired = new Map<Replica, Schedulers>();
  /** By the scheduler of their target. Asked for with each message, so kept until a place comes or goes. */
  private readonly sets = new Map<string | undefined, readonly Replica[]>();

  constructor(
    private readonly resolve: Resolve,
    private readonly context: ReplicaContext,
    private readonly log: Logger,
  ) {}

  /** From now on these are the targets, in place of the former. Connections that are for none of them are ended. */
  follow(targets: readonly PickerTarget[]): void {
    const wanted = new Map(targets.map((target) => [keyOf(target), target]));
    this.rearrange(() => {
      for (const [key, { follower }] of this.targets) {
        if (wanted.has(key)) continue;
        follower?.close();
        this.targets.delete(key);
      }
      this.ownSchedulers = new Set(targets.map(({ scheduler }) => scheduler));
    });
    for (const [key, target] of wanted) if (!this.targets.has(key)) this.add(key, target);
  }

  all(): readonly Replica[] {
    return [...this.replicas.values()];
  }

  /** The replicas of a scheduler, connected or not. */
  of(scheduler: string): readonly Replica[] {
    const own = this.ownSchedulers.has(scheduler) ? scheduler : undefined;
    let set = this.sets.get(own);
    if (set === undefined) {
      set = this.all().filter((replica) => this.schedulersOf(replica).has(own));
      this.sets.set(own, set);
    }
    return set;
  }

  /** What a replica is for, as its targets say it: `undefined` is every scheduler without a target of its own. */
  schedulersOf(replica: Replica): Schedulers {
    return (
      this.retired.get(replica) ?? new Set(this.targetsAt(replica.place.key).map(({ target }) => target.scheduler))
    );
  }

  /** Every target has a replica that is connected. */
  isConnected(): boolean {
    return [...this.targets.values()].every((followed) => this.isReached(followed));
  }

  /** The replica is leaving or lost: another may be at another address. */
  lookAgain(replica: Replica): void {
    for (const { follower } of this.targetsAt(replica.place.key)) follower?.hurry();
  }

  /** A replica's connection has ended; one that is retired is forgotten. */
  lost(replica: Replica): void {
    this.lookAgain(replica);
    if (!this.retired.delete(replica)) return;
    this.replicas.delete(replica.place.key);
    this.sets.clear();
  }

  close(): void {
    for (const { follower } of this.targets.values()) follower?.close();
    for (const replica of this.replicas.values()) replica.close('the router ends');
  }

  private add(key: string, target: PickerTarget): void {
    const followed: FollowedTarget = { target, places: [], follower: undefined };
    const { scheduler, address } = target;
    const picker = addressText(address);
    this.targets.set(key, followed);
    followed.follower = followAddress(address, {
      resolve: this.resolve,
      isUrgent: () => !this.isReached(followed),
      onPlaces: (places) => {
        if (isSame(followed.places, places)) return;
        this.rearrange(() => {
          followed.places = places;
        });
        for (const place of places) this.connect(place);
      },
      onFault: (reason) =>
        this.log.warn({ picker, scheduler, reason }, 'the address of a picker cannot be looked up; looking on'),
    });
  }

  /** After a change of targets or places: replicas that are for none any more are retired, or left. */
  private rearrange(change: () => void): void {
    const before = new Map(this.all().map((replica) => [replica, this.schedulersOf(replica)]));
    change();
    const schedulers = new Set([...this.targets.values()].map(({ target }) => target.scheduler));
    for (const [replica, former] of before) {
      if (this.targetsAt(replica.place.key).length > 0) continue;
      this.retire(replica, new Set([...former].filter((one) => schedulers.has(one))));
    }
    this.sets.clear();
  }

  private retire(replica: Replica, schedulers: Schedulers): void {
    if (!replica.isConnected) {
      replica.retire();
      this.retired.delete(replica);
      this.replicas.delete(replica.place.key);
      return;
    }
    this.retired.set(replica, schedulers);
    if (schedulers.size === 0) replica.close('its schedulers are gone');
    else replica.retire();
  }

  private connect(place: Place): void {
    const known = this.replicas.get(place.key);
    if (known === undefined) {
      if (this.replicas.size < MAX_PLACES) this.replicas.set(place.key, new Replica(place, this.context));
    } else if (this.retired.delete(known)) known.revive();
    this.sets.clear();
  }

  private targetsAt(place: string): readonly FollowedTarget[] {
    return [...this.targets.values()].filter(({ places }) => places.some(({ key }) => key === place));
  }

  private isReached({ places }: FollowedTarget): boolean {
    return places.some(({ key }) => this.replicas.get(key)?.isConnected === true);
  }
}

function keyOf({ scheduler = '', address }: PickerTarget): string {
  return `${scheduler}=${addressText(address)}`;
}

function isSame(a: readonly Place[], b: readonly Place[]): boolean {
  const keys = new Set(a.map(({ key }) => key));
  return keys.size === b.length && b.every(({ key }) => keys.has(key));
}
