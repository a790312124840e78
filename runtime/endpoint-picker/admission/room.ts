import { BANDS, type Band } from '../../../lib/translate/gateway-state';
import type { Candidates } from '../scheduling/candidates';
import { uncachedTokens } from '../scheduling/request-size';
import type { ScoredRequest } from '../scheduling/scorer';

/** What an endpoint must have left for a request that is not to queue there. */
export interface RoomLimits {
  /** Its prompt begins to be computed within this time. Milliseconds. */
  readonly startMs: number;
  /** With the request's tokens no more than this share of the KV cache is taken, or of a small one more. 0..1. */
  readonly kvShare: number;
}

/**
 * The room that each band may use while higher ones are about. What is held back from the lower ones is there at once when
 * a request of a higher one comes: it never finds the fleet full of them. And a batch that they fill makes every step
 * longer, for the first token of that request too: with these shares it is within 10 % as early at twice the load that a
 * fleet can carry as at 0.8 of it (docs/benchmarks.md), and the fleet does three quarters or more of what it could.
 */
export const ROOM: Readonly<Record<Band, RoomLimits>> = {
  critical: { startMs: 400, kvShare: 0.95 },
  standard: { startMs: 50, kvShare: 0.33 },
  sheddable: { startMs: 25, kvShare: 0.31 },
};

/**
 * So much of a KV cache any band may use, up to `SMALL_CACHE_SHARE` of it: reading it makes no step much longer, and a small
 * cache has to be filled for the engine to do its work at all. Tokens.
 */
const SMALL_CACHE_TOKENS = 32_000;
const SMALL_CACHE_SHARE = 0.8;

/** Room is held back for a band so long after a request of it has come. Milliseconds. */
const HELD_BACK_MS = 30_000;

/**
 * Endpoints have room for the request, but none that holds its adapter has. Where it is loaded once more another adapter may
 * have to go, whose next request loads that one again: a fleet on which this goes round serves next to nothing.
 */
export interface AdapterFull {
  readonly outcome: 'adapter-full';
  /** Loading it at an endpoint with room is worth a wait of this for one that holds it. Milliseconds. */
  readonly loadMs: number;
}

/** Which room each band of a scheduler may use now. */
export interface Rooms {
  /** A request of the band has come. `now`: clock, milliseconds. */
  asked(band: Band, now: number): void;
  /** What is held back for higher bands, as long as any of them is asked for; else all that Critical may use. */
  limitsOf(band: Band, now: number): RoomLimits;
}

export function createRooms(): Rooms {
  const askedAt: Record<Band, number> = { critical: -HELD_BACK_MS, standard: -HELD_BACK_MS, sheddable: -HELD_BACK_MS };
  return {
    asked(band, now) {
      askedAt[band] = now;
    },
    limitsOf(band, now) {
      for (const higher of BANDS) {
        if (higher === band) break;
        if (now - askedAt[higher] < HELD_BACK_MS) return ROOM[band];
      }
      return ROOM.critical;
    },
  };
}

/** A request that needs more than this part of its band's share gets in when so much is free: else it would wait for ever. */
const LARGEST_PART = 0.75;

/**
 * Whether candidate `row` has room for the request. What an engine does not tell (NaN) keeps nothing away: by the ledger
 * alone nobody can say that it is full.
 */
export function hasRoom(candidates: Candidates, row: number, request: ScoredRequest, limits: RoomLimits): boolean {
  if (candidates.startMs[row]! > limits.startMs) return false;
  // Where nothing is at work something may always begin, whatever the engine tells: else nothing would ever disprove it.
  if (candidates.inFlight[row] === 0 && !(candidates.running[row]! > 0)) return true;
  const free = candidates.kvFreeTokens[row]!;
  const usage = candidates.kvUsage[row]!;
  if (Number.isNaN(free) || Number.isNaN(usage)) return true;
  // A full batch is told as minus infinity.
  if (free <= 0) return false;
  const capacity = free / (1 - usage);
  const share = Math.max(limits.kvShare, Math.min(SMALL_CACHE_SHARE, SMALL_CACHE_TOKENS / capacity));
  const needed = (uncachedTokens(request, candidates.matchedBlocks[row]!) + request.outputTokens) / capacity;
  return usage + Math.min(needed, LARGEST_PART * share) <= share;
}
