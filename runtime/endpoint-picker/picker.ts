import type { GatewayState, SchedulerState } from '../../lib/translate/gateway-state';
import { firstTokenCame, requestEnded } from './endpoint-answers';
import type { BlockHash, EndpointPicker, PickedEndpoints, PickRequest, PickResult, Ticket } from './endpoint-picker';
import { scrapeAnswered, scrapePaced, scrapeRefused, scrapeSent } from './endpoint-scrapes';
import type { PrecisePrefix } from './kv-events/precise-prefix';
import { enter, move, release } from './ledger/endpoint-load';
import { promptTokenSeconds } from './ledger/learned-speed';
import type { MetricsSource } from './metrics-source';
import type { PickerObserver } from './observe';
import { createPool, type Decision, type Membership, type Pool } from './pool';
import { createEndpoint, endpointChanged, metricsOf, type PooledEndpoint } from './pooled-endpoint';
import { createPrefixIndex } from './prefix/prefix-index';
import { MAX_BLOCK_TOKENS } from './scheduling/request-size';
import { type PoolStatus, poolStatus } from './status';

export interface PickerOptions {
  readonly state: GatewayState;
  /** Where metrics come from; closed with the picker. */
  readonly metrics: MetricsSource;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly observe: PickerObserver;
  /** What pods tell of their KV caches; default: they are not asked. Not closed with the picker. */
  readonly precise?: Pick<PrecisePrefix, 'join' | 'leave' | 'match' | 'enter'>;
  /**
   * Runs `work` soon, once the answer is on its way: a prompt is written into the index then, or before the next decision,
   * if that is sooner. Default: at once.
   */
  readonly later?: (work: () => void) => void;
}

/** The Endpoint Pickers of every scheduler of a gateway. */
export interface Picker extends EndpointPicker {
  /** Decides at once, from memory. A scheduler that is not in the state has no endpoints. */
  pick(request: PickRequest): PickResult;
  /** Swaps in a new state. Endpoints that stay keep their ledger, metrics and prefixes. */
  update(state: GatewayState): void;
  /** Every pod as the picker sees it now, by scheduler. */
  status(): PoolStatus[];
  /** Stops reading metrics. Tickets that are out may still be used. */
  close(): Promise<void>;
}

/** Retry-After for a scheduler that is not there, seconds. */
const UNKNOWN_SCHEDULER_RETRY_SECONDS = 1;

export function createPicker({ state, metrics, clock, random, observe, precise, later }: PickerOptions): Picker {
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

  const membership: Membership = {
    join(endpointState, scheduler, pool) {
      const id = freeIds.pop() ?? addId();
      const endpoint = createEndpoint(id, endpointState, pool);
      const watch = metrics.watch({
        address: endpoint.address,
        pod: endpoint.pod,
        scheduler: schedulerName(scheduler),
        engine: scheduler.engine,
        busy: () => endpoint.load.requests > 0,
        sent: () => scrapeSent(endpoint, clock()),
        answered: (answer) => {
          const before = metricsOf(endpoint).kvCapacityTokens;
          scrapeAnswered(endpoint, answer, clock());
          const capacity = metricsOf(endpoint).kvCapacityTokens;
          if (capacity > 0 && capacity !== before) index.limit(endpoint.id, capacity / MAX_BLOCK_TOKENS);
        },
        refused: () => scrapeRefused(endpoint),
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
  };

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
      else pool.update(scheduler);
    }
    for (const name of gone) {
      pools.get(name)?.close();
      pools.delete(name);
    }
  }

  function pick(request: PickRequest): PickResult {
    const start = clock();
    const pool = pools.get(request.scheduler);
    if (pool === undefined) return { outcome: 'no-endpoints', retryAfterSeconds: UNKNOWN_SCHEDULER_RETRY_SECONDS };
    const { usesPrefixes } = pool;
    if (usesPrefixes) {
      writePrefixes();
      index.match(request.prefixHashes, matched);
    } else matched.fill(0);
    if (usesPrefixes && request.tokens !== undefined) precise?.match(request, request.tokens, matched);
    const decision = pool.decide(request, matched, start);
    if ('outcome' in decision) {
      observe.refused(request.scheduler, decision.outcome);
      return decision;
    }
    const picked = writeDown(pool, request, decision, start);
    observe.picked(request.scheduler, decision.chosen[0]!.endpoint.pod, (clock() - start) * 1000);
    return picked;
  }

  function writeDown(pool: Pool, request: PickRequest, decision: Decision, now: number): PickedEndpoints {
    const { endpoint, watch } = decision.chosen[0]!;
    const { explanation } = decision;
    const entry = enter(endpoint.load, decision.size, promptTokenSeconds(endpoint.speed), now);
    endpoint.picks += 1;
    endpoint.lastPick = ++picks;
    if (decision.cold) endpoint.lastColdPick = picks;
    endpointChanged(endpoint);
    if (pool.usesPrefixes) remember(request.prefixHashes, endpoint.id);
    watch.wake();
    const hold = (id: number) =>
      request.tokens === undefined ? undefined : precise?.enter(id, request, request.tokens);
    let letGo = hold(endpoint.id);
    const sampleFirstToken = isSampled(endpoint, now);
    let at = endpoint.address;
    let serving: PooledEndpoint | undefined = endpoint;

    const ticket: Ticket = {
      served(address) {
        if (entry.over || address === at) return;
        at = address;
        const member = pool.at(address);
        const former = serving;
        serving = member?.endpoint;
        move(entry, serving?.load, serving === undefined ? 0 : promptTokenSeconds(serving.speed), clock());
        if (former !== undefined) endpointChanged(former);
        letGo?.();
        letGo = serving === undefined ? undefined : hold(serving.id);
        observe.servedElsewhere(request.scheduler, member === undefined ? 'unknown' : 'moved');
        if (member === undefined) return;
        endpointChanged(member.endpoint);
        if (pool.usesPrefixes) remember(request.prefixHashes, member.endpoint.id);
        member.watch.wake();
      },
      firstToken() {
        if (!entry.over && serving !== undefined) firstTokenCame(serving, entry, clock());
      },
      done(status) {
        if (entry.over) return;
        letGo?.();
        const end = clock();
        const answered = status !== undefined && status < 400;
        release(entry, answered, end);
        if (serving !== undefined) requestEnded(serving, entry, answered, end);
      },
    };
    return {
      outcome: 'picked',
      endpoints: decision.chosen.map((member) => member.endpoint.address),
      ticket,
      matchedBlocks: decision.matchedBlocks,
      ...(sampleFirstToken && { sampleFirstToken }),
      ...(explanation !== undefined && { explanation }),
    };
  }

  update(state);
  return {
    pick,
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

function schedulerName(scheduler: SchedulerState): string {
  return `${scheduler.namespace}/${scheduler.name}`;
}
