import { type GatewayState, schedulerName } from '../../lib/translate/gateway-state';
import type { AdapterFull, RoomLimits } from './admission/room';
import type { BlockHash, EndpointPicker, PickedEndpoints, PickRefused, PickRequest, Ticket } from './endpoint-picker';
import { scrapeAnswered, scrapeFailed, scrapePaced, scrapeSent } from './endpoint-scrapes';
import type { ExclusionReason } from './health/endpoint-health';
import type { PrecisePrefix } from './kv-events/precise-prefix';
import type { MetricsSource } from './metrics-source';
import type { PickerLog, PickerObserver } from './observe';
import { createPool, type Decision, type Membership, type Pool } from './pool';
import { createEndpoint, endpointChanged, metricsOf, type PooledEndpoint } from './pooled-endpoint';
import { createPrefixIndex } from './prefix/prefix-index';
import { MAX_BLOCK_TOKENS, sizeOf, uncachedTokens } from './scheduling/request-size';
import { type Sending, sendTo } from './sent-request';
import { type PoolStatus, poolStatus } from './status';
import { subsetTest } from './subset';

export interface PickerOptions {
  readonly state: GatewayState;
  /** Where metrics come from; closed with the picker. */
  readonly metrics: MetricsSource;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly observe: PickerObserver;
  /** Told of pods that are excluded, and of their return. Default: nobody. */
  readonly log?: PickerLog;
  /** What pods tell of their KV caches; default: they are not asked. Not closed with the picker. */
  readonly precise?: Pick<PrecisePrefix, 'join' | 'leave' | 'match' | 'enter'>;
  /**
   * Runs `work` soon, once the answer is on its way: a prompt is written into the index then, or before the next decision,
   * if that is sooner. Default: at once.
   */
  readonly later?: (work: () => void) => void;
  /** A scheduler's endpoints may have room that they had not: a request ended or moved, metrics came, its state changed. */
  readonly roomChanged?: (scheduler: string) => void;
}

type Decided = PickedEndpoints | PickRefused;

/** The Endpoint Pickers of every scheduler of a gateway. */
export interface Picker extends EndpointPicker {
  /** Decides at once, from memory. A scheduler that is not in the state has no endpoints. */
  pick(request: PickRequest): Decided;
  /**
   * The same, for a request that is not to queue at an endpoint: only those count that have `room` for it. Undefined:
   * none has, and nothing is written down. `waitedForAdapterMs`: so long it has waited for room where its adapter is;
   * without it the adapter is loaded wherever there is room.
   */
  pickWithin(
    request: PickRequest,
    room: RoomLimits,
    waitedForAdapterMs?: number,
  ): PickedEndpoints | AdapterFull | undefined;
  /**
   * Enters a request that another replica has sent to the first of `addresses`, with the others as fallbacks in order;
   * `matchedBlocks` of its prompt were cached at the first. Undefined: the first is not known here.
   */
  enter(request: PickRequest, addresses: readonly string[], matchedBlocks: number): Ticket | undefined;
  /** Some endpoint of the scheduler is ready; of the subset, where there is one. */
  hasEndpoints(scheduler: string, subset?: readonly string[]): boolean;
  /** Swaps in a new state. Endpoints that stay keep their ledger, metrics and prefixes. */
  update(state: GatewayState): void;
  /** Every pod as the picker sees it now, by scheduler. */
  status(): PoolStatus[];
  /** Stops reading metrics. Tickets that are out may still be used. */
  close(): Promise<void>;
}

/** Retry-After for a scheduler that is not there, seconds. */
const UNKNOWN_SCHEDULER_RETRY_SECONDS = 1;

export function createPicker(options: PickerOptions): Picker {
  const { state, metrics, clock, random, observe, precise, later, log, roomChanged = () => {} } = options;
  const pools = new Map<string, Pool>();
  // One index for all pools, so that its bound holds whatever their number; block hashes are salted with the model.
  const index = createPrefixIndex(random);
  const freeIds: number[] = [];
  let matched = new Int32Array(0);
  let picks = 0;
  /** Prompts that were sent, and are not in the index yet. */
  const unwritten: Array<{ readonly hashes: readonly BlockHash[]; readonly endpoint: number }> = [];

  function remember(hashes: readonly BlockHash[], endpoint: number): void {
    unwritten.push({ hashes, endpoint });
    if (later === undefined) writePrefixes();
    else if (unwritten.length === 1) later(writePrefixes);
  }

  function writePrefixes(): void {
    for (const { hashes, endpoint } of unwritten) index.add(hashes, endpoint);
    unwritten.length = 0;
  }

  const sending: Sending = { clock, observe, precise, remember, roomChanged };

  const membership: Membership = {
    join(endpointState, scheduler, pool) {
      const id = freeIds.pop() ?? addId();
      const endpoint = createEndpoint(id, endpointState, pool);
      const watch = metrics.watch({
        address: endpoint.address,
        pod: endpoint.pod,
        scheduler: schedulerName(scheduler),
        engine: scheduler.engine,
        ...(endpointState.metricsPort !== undefined && { metricsPort: endpointState.metricsPort }),
        busy: () => endpoint.load.requests > 0,
        sent: () => scrapeSent(endpoint, clock()),
        answered: (answer) => {
          const before = metricsOf(endpoint).kvCapacityTokens;
          scrapeAnswered(endpoint, answer, clock());
          const capacity = metricsOf(endpoint).kvCapacityTokens;
          if (capacity > 0 && capacity !== before) index.limit(endpoint.id, capacity / MAX_BLOCK_TOKENS);
          roomChanged(schedulerName(scheduler));
        },
        failed: (how) => scrapeFailed(endpoint, how, clock()),
        paced: (intervalMs) => scrapePaced(endpoint, intervalMs),
      });
      const { kvEventsPort, kvReplayPort } = endpointState;
      if (kvEventsPort !== undefined) {
        precise?.join({
          id,
          address: endpoint.address,
          pod: endpoint.pod,
          scheduler: schedulerName(scheduler),
          baseModel: scheduler.modelName ?? '',
          kvEventsPort,
          kvReplayPort,
          ready: () => endpoint.ready,
        });
      }
      return { endpoint, watch };
    },
    leave({ endpoint, watch }) {
      watch.stop();
      precise?.leave(endpoint.id);
      writePrefixes();
      index.purge(endpoint.id);
      freeIds.push(endpoint.id);
    },
    exclusionChanged,
  };

  function exclusionChanged({ pod, address }: PooledEndpoint, reason: ExclusionReason | undefined): void {
    // Of one level: who hears of the beginning hears of the end.
    if (reason === undefined) log?.warn({ pod, address }, 'the pod gets requests again, few at first');
    else log?.warn({ pod, address, reason }, 'the pod gets no requests for the time being');
  }

  function addId(): number {
    const id = matched.length;
    matched = new Int32Array(Math.max(16, id * 2));
    for (let spare = matched.length - 1; spare > id; spare--) freeIds.push(spare);
    return id;
  }

  function update(next: GatewayState): void {
    const gone = new Set(pools.keys());
    for (const scheduler of next.schedulers) {
      const name = schedulerName(scheduler);
      gone.delete(name);
      const pool = pools.get(name);
      if (pool === undefined) pools.set(name, createPool(scheduler, membership, random));
      else pool.update(scheduler, clock());
      roomChanged(name);
    }
    for (const name of gone) {
      pools.get(name)?.close();
      pools.delete(name);
    }
  }

  function pick(request: PickRequest): Decided {
    const start = clock();
    const pool = pools.get(request.scheduler);
    if (pool === undefined) return { outcome: 'no-endpoints', retryAfterSeconds: UNKNOWN_SCHEDULER_RETRY_SECONDS };
    matchPrefix(pool, request);
    const decision = pool.decide(request, matched, start);
    if ('outcome' in decision) {
      observe.refused(request.scheduler, decision.outcome);
      return decision;
    }
    return writeDown(pool, request, decision, start);
  }

  function pickWithin(
    request: PickRequest,
    room: RoomLimits,
    waitedForAdapterMs = Number.POSITIVE_INFINITY,
  ): PickedEndpoints | AdapterFull | undefined {
    const start = clock();
    const pool = pools.get(request.scheduler);
    if (pool === undefined) return undefined;
    matchPrefix(pool, request);
    const decision = pool.decideWithin(request, matched, start, room, waitedForAdapterMs);
    return decision === undefined || 'outcome' in decision ? decision : writeDown(pool, request, decision, start);
  }

  /** Writes into `matched` how much of the prompt each endpoint holds. */
  function matchPrefix({ usesPrefixes }: Pool, request: PickRequest): void {
    if (usesPrefixes) {
      writePrefixes();
      index.match(request.prefixHashes, matched);
    } else matched.fill(0);
    if (usesPrefixes && request.tokens !== undefined) precise?.match(request, request.tokens, matched);
  }

  function writeDown(pool: Pool, request: PickRequest, decision: Decision, start: number): PickedEndpoints {
    const chosen = decision.chosen[0]!;
    const { endpoint } = chosen;
    const { explanation, predictedTtftMs } = decision;
    const ticket = sendTo(sending, pool, request, decision.chosen, decision.size, ++picks, start);
    if (decision.cold) endpoint.lastColdPick = picks;
    endpointChanged(endpoint);
    const sampleFirstToken = isSampled(endpoint, start);
    observe.picked(request.scheduler, endpoint.pod, (clock() - start) * 1000);
    return {
      outcome: 'picked',
      endpoints: decision.chosen.map((member) => member.endpoint.address),
      ticket,
      matchedBlocks: decision.matchedBlocks,
      ...(Number.isFinite(predictedTtftMs) && { predictedTtftMs }),
      ...(sampleFirstToken && { sampleFirstToken }),
      ...(explanation !== undefined && { explanation }),
    };
  }

  function enterTold(request: PickRequest, addresses: readonly string[], matchedBlocks: number): Ticket | undefined {
    const pool = pools.get(request.scheduler);
    if (pool === undefined) return undefined;
    const order = addresses.flatMap((address) => pool.at(address) ?? []);
    const member = order[0];
    if (member === undefined || member.endpoint.address !== addresses[0]) return undefined;
    const { adapter, promptTokens, outputTokens, ...scored } = sizeOf(request);
    const uncached = uncachedTokens({ ...scored, promptTokens, outputTokens }, matchedBlocks);
    const size = { adapter, promptTokens, outputTokens, uncachedTokens: uncached };
    const ticket = sendTo(sending, pool, request, order, size, ++picks, clock());
    endpointChanged(member.endpoint);
    return ticket;
  }

  update(state);
  return {
    pick,
    pickWithin,
    enter: enterTold,
    hasEndpoints(scheduler, subset) {
      const allows = subsetTest(subset);
      const members = pools.get(scheduler)?.members ?? [];
      return members.some(({ endpoint }) => endpoint.ready && allows(endpoint.address));
    },
    update,
    status: () => [...pools].map(([name, pool]) => poolStatus(name, pool, clock())),
    async close() {
      for (const pool of pools.values()) pool.close();
      pools.clear();
      await metrics.close();
    },
  };
}

/** One first token of an endpoint is enough in this time. Milliseconds. */
const SAMPLE_INTERVAL_MS = 1000;

/** Of so many picks of an endpoint, at most one is sampled. */
const PICKS_PER_SAMPLE = 8;

function isSampled(endpoint: PooledEndpoint, now: number): boolean {
  if (endpoint.picks % PICKS_PER_SAMPLE !== 1 || now - endpoint.sampledAt < SAMPLE_INTERVAL_MS) return false;
  endpoint.sampledAt = now;
  return true;
}
