import type { SchedulerState } from '../../lib/translate/gateway-state';
import { hasRoom, type RoomLimits } from './admission/room';
import type { PickRequest } from './endpoint-picker';
import { gatherRows, ROW_LENGTH, rowAdapterSeconds, writeRow } from './endpoint-row';
import { NO_METRICS } from './engine-metrics';
import { isOpenWithoutMetrics } from './health/endpoint-health';
import { endpointChanged, metricsOf, type PooledEndpoint } from './pooled-endpoint';
import { adapterSeconds } from './scheduling/adapter-wait';
import { type Candidates, createCandidates, keepRows } from './scheduling/candidates';
import type { ScoredRequest } from './scheduling/scorer';
import { subsetTest } from './subset';

/** The rows of a pool's endpoints, and the candidates that a decision makes of them. */
export interface CandidateRows {
  readonly candidates: Candidates;
  /** The place in the pool of each candidate. */
  readonly places: Int32Array;
  /** Gives every endpoint its row. */
  follow(scheduler: SchedulerState, endpoints: readonly PooledEndpoint[]): void;
  /**
   * Ready endpoints with fresh metrics, or without a metrics page, that are not excluded; when there are none, those that
   * are not excluded; when there are none of them either, every ready endpoint. `matched`: blocks held, by endpoint id.
   */
  gather(request: PickRequest, matched: Int32Array, now: number): void;
  /** Leaves those that have room for the request. */
  keepWithRoom(request: ScoredRequest, room: RoomLimits): void;
}

/** Of one number in a row, less its sign. */
const ADAPTER_BITS = 31;

/** `adapterBits`: of the adapters by which rows tell who holds them; written here, and begun anew with each state. */
export function createCandidateRows(adapterBits: Map<string, number>): CandidateRows {
  let endpoints: readonly PooledEndpoint[] = [];
  /** The endpoints' rows and their numbers in the prefix index, in their order. */
  let rows = new Float64Array(0);
  let ids = new Int32Array(0);
  let ledgerRows = new Float64Array(0);
  let places = new Int32Array(0);
  let candidates: Candidates = createCandidates(0);
  let weighsAdapters = false;
  let listed: ReadonlySet<string> = new Set();

  function follow(scheduler: SchedulerState, next: readonly PooledEndpoint[]): void {
    endpoints = next;
    weighsAdapters = scheduler.weights.loraAffinity !== 0;
    listed = new Set(scheduler.adapters);
    adapterBits.clear();
    rows = new Float64Array(endpoints.length * ROW_LENGTH);
    ids = Int32Array.from(endpoints, ({ id }) => id);
    for (const [i, endpoint] of endpoints.entries()) {
      endpoint.row = { rows, at: i * ROW_LENGTH };
      endpointChanged(endpoint);
    }
    if (candidates.capacity < endpoints.length) candidates = createCandidates(endpoints.length);
    places = new Int32Array(candidates.capacity);
  }

  function gather(request: PickRequest, matched: Int32Array, now: number): void {
    const { adapter } = request;
    const bit = adapter === undefined || !weighsAdapters ? 0 : adapterBit(adapter);
    gatherAllowed(rows, request, now);
    const fresh = candidates.count > 0;
    let source = rows;
    for (const lastResort of fresh ? [] : [false, true]) {
      if (candidates.count > 0) break;
      source = rowsOfLedger(lastResort);
      gatherAllowed(source, request, now);
    }
    for (let row = 0; row < candidates.count; row++) candidates.matchedBlocks[row] = matched[ids[places[row]!]!]!;
    for (let row = 0; row < candidates.count; row++) {
      const place = places[row]!;
      if (bit > 0) candidates.adapterSeconds[row] = rowAdapterSeconds(source, place * ROW_LENGTH, bit, now);
      else candidates.adapterSeconds[row] = bit === 0 ? 0 : askAdapterSeconds(adapter!, place, fresh, now);
    }
  }

  function gatherAllowed(source: Float64Array, { subset }: PickRequest, now: number): void {
    gatherRows(source, candidates, places, now);
    if (subset === undefined) return;
    const isAllowed = subsetTest(subset);
    keepRows(candidates, places, (row) => isAllowed(endpoints[places[row]!]!.address));
  }

  /** What the ledger alone tells. `lastResort`: of excluded endpoints, too. */
  function rowsOfLedger(lastResort: boolean): Float64Array<ArrayBuffer> {
    if (ledgerRows.length !== rows.length) ledgerRows = new Float64Array(rows.length);
    for (const [i, endpoint] of endpoints.entries()) {
      const isCandidate = lastResort ? endpoint.ready : isOpenWithoutMetrics(endpoint);
      const until = isCandidate ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      writeRow(ledgerRows, i * ROW_LENGTH, endpoint, NO_METRICS, until);
    }
    return ledgerRows;
  }

  /** Below 0: it has none, since others have taken all, or since it may be a name that a client has made up. */
  function adapterBit(adapter: string): number {
    const known = adapterBits.get(adapter);
    if (known !== undefined) return known;
    if (adapterBits.size === ADAPTER_BITS || !(listed.has(adapter) || isResident(adapter))) return -1;
    const bit = 1 << adapterBits.size;
    adapterBits.set(adapter, bit);
    for (const endpoint of endpoints) endpointChanged(endpoint);
    return bit;
  }

  function isResident(adapter: string): boolean {
    return endpoints.some((endpoint) => {
      const { adapters } = metricsOf(endpoint);
      return adapters !== undefined && (adapters.running.has(adapter) || adapters.loaded?.has(adapter) === true);
    });
  }

  function askAdapterSeconds(adapter: string, place: number, fresh: boolean, now: number): number {
    const endpoint = endpoints[place]!;
    const { adapters: inFlight, recentAdapters: recent } = endpoint.load;
    return adapterSeconds(
      adapter,
      { resident: fresh ? metricsOf(endpoint).adapters : undefined, inFlight, recent },
      now,
    );
  }

  return {
    get candidates() {
      return candidates;
    },
    get places() {
      return places;
    },
    follow,
    gather,
    keepWithRoom(request, room) {
      keepRows(candidates, places, (row) => hasRoom(candidates, row, request, room));
    },
  };
}
