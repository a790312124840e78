import type { Logger } from 'pino';
import { type AddressFollower, followAddress, type Place, type Resolve } from './address-follower';
import { addressText, type PickerTarget } from './picker-address';
import { Replica, type ReplicaContext } from './replica';

/** Distinct places of all targets. */
const MAX_PLACES = 512;

/** Which replicas there are, as the addresses of the targets come and go, and which of them are a scheduler's. */
export class ReplicaDirectory {
  private readonly replicas = new Map<string, Replica>();
  /** The places of each target, by its index. */
  private readonly placesOf: Array<readonly Place[]>;
  private readonly ownSchedulers: ReadonlySet<string | undefined>;
  /** Those whose address has left its target, with what they were for. They are used as long as their connection stands. */
  private readonly retired = new Map<Replica, ReadonlySet<string | undefined>>();
  /** By the scheduler of their target. Asked for with each message, so kept until a place comes or goes. */
  private readonly sets = new Map<string | undefined, readonly Replica[]>();
  private readonly followers: readonly AddressFollower[];

  constructor(
    private readonly targets: readonly PickerTarget[],
    resolve: Resolve,
    private readonly context: ReplicaContext,
    log: Logger,
  ) {
    this.placesOf = targets.map(() => []);
    this.ownSchedulers = new Set(targets.map(({ scheduler }) => scheduler));
    this.followers = targets.map(({ address }, index) =>
      followAddress(
        address,
        resolve,
        (places) => this.setPlaces(index, places),
        (reason) => log.warn({ picker: addressText(address), reason }, 'the address of a picker cannot be looked up'),
      ),
    );
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
  schedulersOf(replica: Replica): ReadonlySet<string | undefined> {
    const former = this.retired.get(replica);
    if (former !== undefined) return former;
    const isThere = (index: number) => this.placesOf[index]!.some(({ key }) => key === replica.place.key);
    return new Set(this.targets.filter((_, index) => isThere(index)).map(({ scheduler }) => scheduler));
  }

  /** Every target has a replica that is connected. */
  isConnected(): boolean {
    return this.placesOf.every((places) => places.some(({ key }) => this.replicas.get(key)?.isConnected === true));
  }

  /** A replica's connection has ended; one that is retired is forgotten. */
  lost(replica: Replica): void {
    if (!this.retired.delete(replica)) return;
    this.replicas.delete(replica.place.key);
    this.sets.clear();
  }

  close(): void {
    for (const follower of this.followers) follower.close();
    for (const replica of this.replicas.values()) replica.close();
  }

  private setPlaces(index: number, places: readonly Place[]): void {
    const before = new Map(this.all().map((replica) => [replica, this.schedulersOf(replica)]));
    this.placesOf[index] = places;
    const wanted = new Set(this.placesOf.flatMap((some) => some.map(({ key }) => key)));
    for (const [replica, schedulers] of before) if (!wanted.has(replica.place.key)) this.retire(replica, schedulers);
    for (const place of places) this.add(place);
    this.sets.clear();
  }

  private retire(replica: Replica, schedulers: ReadonlySet<string | undefined>): void {
    replica.retire();
    if (replica.isConnected) this.retired.set(replica, schedulers);
    else this.replicas.delete(replica.place.key);
  }

  private add(place: Place): void {
    const known = this.replicas.get(place.key);
    if (known !== undefined) {
      if (this.retired.delete(known)) known.revive();
    } else if (this.replicas.size < MAX_PLACES) this.replicas.set(place.key, new Replica(place, this.context));
  }
}
