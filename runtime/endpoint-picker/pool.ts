import type { EndpointState, SchedulerState } from '../../lib/translate/gateway-state';
import type { AdapterFull, RoomLimits } from './admission/room';
import { overloadMs, retryAfterSeconds } from './admission/saturation';
import { createCandidateRows } from './candidate-rows';
import type { PickRefused, PickRequest } from './endpoint-picker';
import type { ExclusionReason, HealthSubject } from './health/endpoint-health';
import { readinessChanged } from './health/evidence';
import { createPoolHealth, forget, liftBars, tend } from './health/pool-health';
import type { RequestSize } from './ledger/endpoint-load';
import { UNKNOWN_POOL_SPEED } from './ledger/learned-speed';
import { groupSpeeds } from './ledger/speed-groups';
import { leftOut } from './left-out';
import type { MetricsWatch } from './metrics-source';
import { endpointChanged, type PooledEndpoint, type PoolKnowledge } from './pooled-endpoint';
import { leastAdapterSeconds, worthWaitingMs } from './scheduling/adapter-wait';
import { choose } from './scheduling/choose';
import { explain } from './scheduling/explain';
import type { Explanation } from './scheduling/explanation';
import { predictedTtftMs } from './scheduling/predicted-ttft';
import { sizeOf, uncachedTokens } from './scheduling/request-size';
import type { ScoredRequest } from './scheduling/scorer';
import { waitForRoom } from './scheduling/wait-for-room';
import { type WeightedScorer, weigh, weightedScorers } from './scheduling/weigh';

/** The choice and two fallbacks. */
const ENDPOINTS_PER_PICK = 3;

export interface Member {
  readonly endpoint: PooledEndpoint;
  readonly watch: MetricsWatch;
}

/** A decision, before anything is written down. */
export interface Decision {
  /** Best first, at least one. */
  readonly chosen: readonly Member[];
  /** Leading blocks that the first of them is thought to hold. */
  readonly matchedBlocks: number;
  /** The request as the ledger counts it there. */
  readonly size: RequestSize;
  /** No candidate holds any block of the prompt. */
  readonly cold: boolean;
  /** Milliseconds; NaN where it is not known. */
  readonly predictedTtftMs: number;
  readonly explanation: Explanation | undefined;
}

/** What a pool asks of the picker: endpoints are made and let go there, where the index and the scrapes are. */
export interface Membership {
  join(state: EndpointState, scheduler: SchedulerState, pool: PoolKnowledge): Member;
  leave(member: Member): void;
  /** Requests avoid the endpoint from now on for this reason; undefined: no more. */
  exclusionChanged(endpoint: PooledEndpoint, reason: ExclusionReason | undefined): void;
}

/** One scheduler's endpoints, and the decision over them. Reads the clock only through its arguments. */
export interface Pool {
  readonly scheduler: SchedulerState;
  readonly members: readonly Member[];
  /** Some weight asks for cached prefixes. */
  readonly usesPrefixes: boolean;
  /** Follows the state. An endpoint keeps its history as long as its address, pod and uid stay. `now`: clock, milliseconds. */
  update(scheduler: SchedulerState, now: number): void;
  at(address: string): Member | undefined;
  /** `matched`: blocks held, by endpoint id. */
  decide(request: PickRequest, matched: Int32Array, now: number): Decision | PickRefused;
  /**
   * The same among the endpoints that have `room` for the request; undefined: there is none. `waitedMs`: for room where
   * its adapter is.
   */
  decideWithin(
    request: PickRequest,
    matched: Int32Array,
    now: number,
    room: RoomLimits,
    waitedMs: number,
  ): Decision | AdapterFull | undefined;
  close(): void;
}

/** Clock, milliseconds: how often the pool's speed is taken anew. */
const SPEED_INTERVAL_MS = 1000;

export function createPool(first: SchedulerState, membership: Membership, random: () => number): Pool {
  let scheduler = first;
  let members: Member[] = [];
  let byAddress = new Map<string, Member>();
  let scorers: WeightedScorer[] = [];
  let totals = new Float64Array(0);
  const chosenRows = new Int32Array(ENDPOINTS_PER_PICK);
  const health = createPoolHealth();
  const shared: PoolKnowledge = {
    speed: UNKNOWN_POOL_SPEED,
    adapterBits: new Map(),
    health,
    exclusionChanged: membership.exclusionChanged,
  };
  const rows = createCandidateRows(shared.adapterBits);
  let speedAt = Number.NEGATIVE_INFINITY;

  /** `now` undefined: the pool is new, and so are all of its endpoints. */
  function update(next: SchedulerState, now?: number): void {
    const known = new Map(members.map((member) => [generation(member.endpoint), member]));
    const kept = new Map<string, Member>();
    const sameEngine = next.engine === scheduler.engine;
    scheduler = next;
    for (const state of next.endpoints) {
      const key = generation(state);
      const former = sameEngine ? known.get(key) : undefined;
      if (former !== undefined) known.delete(key);
      const member = kept.get(key) ?? former ?? membership.join(state, next, shared);
      follow(member.endpoint, state.ready, former === undefined, now);
      kept.set(key, member);
    }
    for (const member of known.values()) leave(member);
    members = [...kept.values()];
    health.ready = members.filter(({ endpoint }) => endpoint.ready).length;
    rows.follow(
      next,
      members.map(({ endpoint }) => endpoint),
    );
    byAddress = new Map(members.map((member) => [member.endpoint.address, member]));
    scorers = weightedScorers(next.weights, rows.candidates.capacity);
    totals = new Float64Array(rows.candidates.capacity);
  }

  function follow(endpoint: PooledEndpoint, ready: boolean, isNew: boolean, now: number | undefined): void {
    const changed = isNew ? ready : ready !== endpoint.ready;
    endpoint.ready = ready;
    if (changed && now !== undefined) readinessChanged(endpoint, ready, now);
  }

  function leave(member: Member): void {
    member.endpoint.row = undefined;
    forget(health, member.endpoint);
    membership.leave(member);
  }

  /** Endpoints learn from each other. */
  function followPoolSpeed(now: number): void {
    if (now - speedAt < SPEED_INTERVAL_MS) return;
    speedAt = now;
    shared.speed = groupSpeeds(
      members.map(({ endpoint }) => endpoint.speed),
      now,
    );
    for (const { endpoint } of members) endpointChanged(endpoint);
  }

  /** Only the pool's own endpoints are tended. */
  function healthChanged(endpoint: HealthSubject): void {
    endpointChanged(endpoint as PooledEndpoint);
  }

  function tendHealth(now: number): void {
    if (health.tended.size > 0) tend(health, endpointsOf(members), now, healthChanged);
  }

  function decide(request: PickRequest, matched: Int32Array, now: number): Decision | PickRefused {
    const { overload } = scheduler;
    followPoolSpeed(now);
    tendHealth(now);
    rows.gather(request, matched, now);
    const { candidates } = rows;
    if (candidates.count === 0) return { outcome: 'no-endpoints', retryAfterSeconds: retryAfterSeconds(0, overload) };
    const scored = sizeOf(request);
    waitForRoom(candidates, scored);
    let excess = overloadMs(candidates.startMs, candidates.count, overload.maxQueueTimeMs);
    // Sooner a flood on an endpoint that has just come than a refusal.
    if (excess > 0 && liftBars(health, 'all', healthChanged)) {
      rows.gather(request, matched, now);
      waitForRoom(candidates, scored);
      excess = overloadMs(candidates.startMs, candidates.count, overload.maxQueueTimeMs);
    }
    if (excess > 0) return { outcome: 'saturated', retryAfterSeconds: retryAfterSeconds(excess, overload) };
    return chooseAmong(request, scored, now);
  }

  function decideWithin(
    request: PickRequest,
    matched: Int32Array,
    now: number,
    room: RoomLimits,
    waitedMs: number,
  ): Decision | AdapterFull | undefined {
    followPoolSpeed(now);
    tendHealth(now);
    const scored = sizeOf(request);
    let isHeld = gatherWithin(request, scored, matched, now, room);
    // Sooner a flood on an endpoint that has just come than a wait. One without a choice would be refused.
    const which = request.subset === undefined ? 'ramping' : 'all';
    if (rows.candidates.count === 0 && liftBars(health, which, healthChanged)) {
      isHeld = gatherWithin(request, scored, matched, now, room);
    }
    if (rows.candidates.count === 0) return undefined;
    const loadMs = isHeld ? worthWaitingMs(leastAdapterSeconds(rows.candidates)) : 0;
    return waitedMs < loadMs ? { outcome: 'adapter-full', loadMs } : chooseAmong(request, scored, now);
  }

  /** Whether any endpoint holds the request's adapter, with room for it or not; false for the base model. */
  function gatherWithin(
    request: PickRequest,
    scored: ScoredRequest,
    matched: Int32Array,
    now: number,
    room: RoomLimits,
  ): boolean {
    rows.gather(request, matched, now);
    waitForRoom(rows.candidates, scored);
    const isHeld = request.adapter !== undefined && leastAdapterSeconds(rows.candidates) === 0;
    rows.keepWithRoom(scored, room);
    return isHeld;
  }

  function chooseAmong(request: PickRequest, scored: ScoredRequest, now: number): Decision {
    const { candidates, places } = rows;
    weigh(scorers, candidates, scored, totals);
    const count = choose(totals, candidates, random, chosenRows);
    const chosen: Member[] = [];
    for (let place = 0; place < count; place++) chosen.push(members[places[chosenRows[place]!]!]!);
    const matchedBlocks = candidates.matchedBlocks[chosenRows[0]!]!;
    const { adapter, promptTokens, outputTokens } = scored;
    return {
      chosen,
      matchedBlocks,
      size: { adapter, promptTokens, outputTokens, uncachedTokens: uncachedTokens(scored, matchedBlocks) },
      cold: isCold(),
      predictedTtftMs: predictedTtftMs(candidates, scored, chosenRows[0]!),
      explanation: request.explain ? explained(request, scored, count, now) : undefined,
    };
  }

  function explained(request: PickRequest, scored: ScoredRequest, chosenCount: number, now: number): Explanation {
    const { candidates, places } = rows;
    const endpoints = members.map(({ endpoint }) => endpoint);
    return explain({
      candidates,
      request: scored,
      totals,
      scorers,
      chosen: chosenRows.subarray(0, chosenCount),
      endpoint: (row) => endpoints[places[row]!]!,
      leftOut: leftOut(endpoints, places.subarray(0, candidates.count), request, now),
    });
  }

  function isCold(): boolean {
    const { candidates } = rows;
    for (let row = 0; row < candidates.count; row++) if (candidates.matchedBlocks[row]! > 0) return false;
    return true;
  }

  update(first);
  return {
    get scheduler() {
      return scheduler;
    },
    get members() {
      return members;
    },
    get usesPrefixes() {
      return scheduler.weights.prefix > 0 || scheduler.weights.lru > 0;
    },
    update,
    at: (address) => byAddress.get(address),
    decide,
    decideWithin,
    close() {
      for (const member of members) leave(member);
      members = [];
      byAddress.clear();
    },
  };
}

function* endpointsOf(members: readonly Member[]): Iterable<PooledEndpoint> {
  for (const { endpoint } of members) yield endpoint;
}

/** Identity of an endpoint over time. Where pods have no uid, as in files, their names tell them apart. */
function generation({
  address,
  pod,
  uid,
  metricsPort,
  kvEventsPort,
  kvReplayPort,
}: Pick<PooledEndpoint, 'address' | 'pod'> &
  Partial<Pick<PooledEndpoint, 'uid' | 'metricsPort' | 'kvEventsPort' | 'kvReplayPort'>>): string {
  return `${address} ${pod} ${uid ?? ''} ${metricsPort ?? ''} ${kvEventsPort ?? ''} ${kvReplayPort ?? ''}`;
}
