import type { EndpointState, SchedulerState } from '../../lib/translate/gateway-state';
import { overloadMs, retryAfterSeconds } from './admission/saturation';
import type { PickRefused, PickRequest } from './endpoint-picker';
import { effectiveQueue, effectiveRunning } from './ledger/effective-load';
import { workTokens } from './ledger/endpoint-load';
import { expectedStartMs } from './ledger/expected-start';
import type { MetricsWatch } from './metrics-source';
import { metricsState, NO_METRICS, type PooledEndpoint } from './pooled-endpoint';
import { type Candidates, createCandidates } from './scheduling/candidates';
import { choose } from './scheduling/choose';
import { explain } from './scheduling/explain';
import { blockTokens } from './scheduling/request-size';
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
  /** No candidate holds any block of the prompt. */
  readonly cold: boolean;
  readonly explanation: string | undefined;
}

/** What a pool asks of the picker: endpoints are made and let go there, where the index and the scrapes are. */
export interface Membership {
  join(state: EndpointState, scheduler: SchedulerState): Member;
  leave(member: Member): void;
}

/** One scheduler's endpoints, and the decision over them. Reads the clock only through its arguments. */
export interface Pool {
  readonly scheduler: SchedulerState;
  readonly members: readonly Member[];
  /** Follows the state. An endpoint keeps its history as long as its address and uid stay. */
  update(scheduler: SchedulerState): void;
  at(address: string): Member | undefined;
  /** `matched`: blocks held, by endpoint id. */
  decide(request: PickRequest, matched: Int32Array, now: number): Decision | PickRefused;
  close(): void;
}

export function createPool(first: SchedulerState, membership: Membership, random: () => number): Pool {
  let scheduler = first;
  let members: Member[] = [];
  let byAddress = new Map<string, Member>();
  let rows: Member[] = [];
  let candidates: Candidates = createCandidates(0);
  let scorers: WeightedScorer[] = [];
  let totals = new Float64Array(0);
  const chosenRows = new Int32Array(ENDPOINTS_PER_PICK);

  function update(next: SchedulerState): void {
    const known = new Map(members.map((member) => [generation(member.endpoint), member]));
    const kept = new Map<string, Member>();
    const sameEngine = next.engine === scheduler.engine;
    scheduler = next;
    for (const state of next.endpoints) {
      const key = generation(state);
      const former = sameEngine ? known.get(key) : undefined;
      if (former !== undefined) known.delete(key);
      const member = kept.get(key) ?? former ?? membership.join(state, next);
      member.endpoint.ready = state.ready;
      kept.set(key, member);
    }
    for (const member of known.values()) membership.leave(member);
    members = [...kept.values()];
    byAddress = new Map(members.map((member) => [member.endpoint.address, member]));
    if (candidates.capacity < members.length) candidates = createCandidates(members.length);
    rows = [];
    scorers = weightedScorers(next.weights, candidates.capacity);
    totals = new Float64Array(candidates.capacity);
  }

  /** Ready endpoints with fresh metrics, or without a metrics page; when there are none, every ready endpoint. */
  function gather(matched: Int32Array, now: number): void {
    candidates.count = 0;
    for (const member of members) {
      const { endpoint, watch } = member;
      if (!endpoint.ready) continue;
      const state = metricsState(endpoint, now, watch.intervalMs);
      if (state === 'fresh' || state === 'no-metrics') addCandidate(member, matched, true);
    }
    if (candidates.count > 0) return;
    for (const member of members) if (member.endpoint.ready) addCandidate(member, matched, false);
  }

  function addCandidate(member: Member, matched: Int32Array, fresh: boolean): void {
    const { endpoint } = member;
    const { load, answer, scraped, drain } = endpoint;
    const metrics = fresh && answer !== undefined && answer !== 'no-metrics' ? answer : NO_METRICS;
    const { waiting, running } = metrics;
    const row = candidates.count++;
    rows[row] = member;
    candidates.queue[row] = effectiveQueue(waiting, running, load.requests, scraped.inFlight);
    candidates.running[row] = effectiveRunning(waiting, running, load.requests, scraped.inFlight);
    candidates.kvUsage[row] = metrics.kvUsage;
    candidates.matchedBlocks[row] = matched[endpoint.id] ?? 0;
    candidates.lastColdPick[row] = endpoint.lastColdPick;
    candidates.startMs[row] = expectedStartMs(waiting, load.requests, scraped.inFlight, drain);
    candidates.inFlight[row] = load.requests;
    candidates.workTokens[row] = workTokens(load);
    candidates.adapters[row] = metrics.adapters;
    candidates.adaptersInFlight[row] = load.adapters;
  }

  function decide(request: PickRequest, matched: Int32Array, now: number): Decision | PickRefused {
    const { overload } = scheduler;
    gather(matched, now);
    if (candidates.count === 0) return { outcome: 'no-endpoints', retryAfterSeconds: retryAfterSeconds(0, overload) };
    const excess = overloadMs(candidates.startMs, candidates.count, overload.maxQueueTimeMs);
    if (excess > 0) return { outcome: 'saturated', retryAfterSeconds: retryAfterSeconds(excess, overload) };

    const scored = {
      adapter: request.adapter,
      blocks: request.prefixHashes.length,
      blockTokens: blockTokens(request),
    };
    weigh(scorers, candidates, scored, totals);
    const count = choose(totals, candidates, random, chosenRows);
    const chosen: Member[] = [];
    for (let place = 0; place < count; place++) chosen.push(rows[chosenRows[place]!]!);
    return {
      chosen,
      matchedBlocks: candidates.matchedBlocks[chosenRows[0]!]!,
      cold: isCold(),
      explanation: request.explain
        ? explain(
            chosen.map((member) => member.endpoint.pod),
            chosenRows,
            totals,
            scorers,
          )
        : undefined,
    };
  }

  function isCold(): boolean {
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
    update,
    at: (address) => byAddress.get(address),
    decide,
    close() {
      for (const member of members) membership.leave(member);
      members = [];
      byAddress.clear();
    },
  };
}

/** Identity of an endpoint over time. */
function generation(endpoint: { readonly address: string; readonly uid?: string | undefined }): string {
  return `${endpoint.address} ${endpoint.uid ?? ''}`;
}
