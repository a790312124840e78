import { BANDS, type Band } from '../../lib/translate/gateway-state';
import { bandOf } from '../../runtime/endpoint-picker/admission/band';
import { STARVATION_RATIO } from '../../runtime/endpoint-picker/admission/flow-queue';
import type { FleetRequest } from '../../runtime/simulator/fleet/fleet-request';
import type { Choice, FleetView, Policy, PolicyKind } from '../../runtime/simulator/fleet/policy';

/** What the figures of a run do not tell, seen from without the gateway, of arrivals after the warm-up until they end. */
export interface Sightings {
  /** Requests sent to pods, and those of them for which the engine had no free KV blocks at that moment. */
  dispatched: number;
  withoutRoom: number;
  /** Largest use of any pod's KV cache, 0..1, and most requests that waited in any engine, sampled. */
  kvUsage: number;
  waiting: number;
  /**
   * Of the stated bound on what higher bands dispatch while a band waits, the largest part that was reached between two
   * dispatches of a band.
   */
  starvation: number;
  /** Tokens dispatched, as the gateway counts them. */
  readonly tenantTokens: Map<string, number>;
}

const SAMPLE_SECONDS = 0.25;

/** What the gateway takes an answer for when the client sends no `max_tokens`. */
const USUAL_OUTPUT_TOKENS = 256;

interface BandSeen {
  held: number;
  /** Tokens of higher bands since the last dispatch, and the largest of the requests whose turn has been since. */
  passed: number;
  largestHead: number;
}

/** The policy, watched. One object for one run. */
export function watched(kind: PolicyKind, from: number, until: number): { kind: PolicyKind; seen: Sightings } {
  const seen: Sightings = {
    dispatched: 0,
    withoutRoom: 0,
    kvUsage: 0,
    waiting: 0,
    starvation: 0,
    tenantTokens: new Map(),
  };
  return { seen, kind: { ...kind, create: (view) => watchedPolicy(kind.create(view), view, seen, from, until) } };
}

function watchedPolicy(policy: Policy, view: FleetView, seen: Sightings, from: number, until: number): Policy {
  const bands: Record<Band, BandSeen> = { critical: newBand(), standard: newBand(), sheddable: newBand() };
  let largest = 0;
  const counts = () => view.now() >= from && view.now() < until;

  function sample(): void {
    if (counts()) {
      for (const { engine } of view.pods) {
        engine.advance(view.now());
        const { kvUsage, waiting } = engine.snapshot();
        seen.kvUsage = Math.max(seen.kvUsage, kvUsage);
        seen.waiting = Math.max(seen.waiting, waiting);
      }
    }
    if (view.now() < until) view.after(SAMPLE_SECONDS, sample);
  }
  view.after(SAMPLE_SECONDS, sample);

  function settled(request: FleetRequest, choice: Choice, waited: boolean): void {
    const band = bandOf(request.priority ?? 0);
    const ofBand = bands[band];
    const tokens = tokensOf(request);
    ofBand.largestHead = Math.max(ofBand.largestHead, tokens);
    if (waited) ofBand.held -= 1;
    if (typeof choice !== 'string') dispatched(request, choice.pods[0]!, tokens);
    if (ofBand.held === 0) Object.assign(ofBand, newBand());
  }

  function dispatched(
    { priority = 0, tenant, blocks, promptTokens, adapter }: FleetRequest,
    pod: number,
    tokens: number,
  ) {
    const band = bandOf(priority);
    const ofBand = bands[band];
    largest = Math.max(largest, tokens);
    if (counts()) {
      const bound = STARVATION_RATIO * ofBand.largestHead + largest;
      seen.starvation = Math.max(seen.starvation, ofBand.passed / bound);
      seen.dispatched += 1;
      const { engine } = view.pods[pod]!;
      engine.advance(view.now());
      if (engine.insight(blocks, promptTokens, adapter).secondsUntilBlocks > 0) seen.withoutRoom += 1;
      if (tenant !== undefined) seen.tenantTokens.set(tenant, (seen.tenantTokens.get(tenant) ?? 0) + tokens);
    }
    ofBand.passed = 0;
    ofBand.largestHead = 0;
    for (const lower of BANDS.slice(BANDS.indexOf(band) + 1)) if (bands[lower].held > 0) bands[lower].passed += tokens;
  }

  return {
    choose(request) {
      const choice = policy.choose(request);
      if (typeof choice === 'string' || 'pods' in choice) {
        settled(request, choice, false);
        return choice;
      }
      bands[bandOf(request.priority ?? 0)].held += 1;
      return {
        whenSettled(listener) {
          choice.whenSettled((later) => {
            settled(request, later, true);
            listener(later);
          });
        },
      };
    },
  };
}

function newBand(): BandSeen {
  return { held: 0, passed: 0, largestHead: 0 };
}

function tokensOf({ promptTokens, maxOutputTokens = USUAL_OUTPUT_TOKENS }: FleetRequest): number {
  return promptTokens + maxOutputTokens;
}
