import { createEngine, type Engine } from '../../../../runtime/simulator/engine/engine';
import type { EngineParameters } from '../../../../runtime/simulator/engine/parameters';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import type { EngineEvent, EngineRequest, RequestId } from '../../../../runtime/simulator/engine/types';

/** A small engine with round numbers: 10 ms a step, 1,000 prefill tokens a second, nothing else costs time. */
export const SMALL: EngineParameters = {
  stepOverheadSeconds: 0,
  prefillTokensPerSecond: 1000,
  weightsFloorSeconds: 0.01,
  weightsFloorGrowthSeconds: 0,
  weightsFloorLimitSeconds: 0.01,
  kvReadSecondsPerToken: 0,
  sharedReadCost: 0,
  perSequenceSeconds: 0,
  kvTokens: 1024,
  maxNumSeqs: 8,
  maxNumBatchedTokens: 128,
  maxModelLen: 512,
  maxLora: 2,
  adapterLoadSeconds: 0.5,
  frontEndSeconds: 0,
  frontEndSecondsPerToken: 0,
  stepSpread: 0,
};

/** An engine with some of SMALL's parameters replaced. */
export function smallEngine(overrides: Partial<EngineParameters> = {}, seed = 1): Engine {
  return createEngine({ ...SMALL, ...overrides }, seededRandom(seed));
}

/** Block ids of a prompt: the first `shared` of them belong to `group`, the rest to no one else. */
export function blockIds(group: number, shared: number, total: number, unique: number): number[] {
  return Array.from({ length: total }, (_, index) =>
    index < shared ? group * 1000 + index : 1_000_000 + unique * 1000 + index,
  );
}

/** A request without cacheable blocks unless given. */
export function request(id: RequestId, fields: Partial<EngineRequest> = {}): EngineRequest {
  return { id, promptTokens: 16, blocks: [], outputTokens: 1, ...fields };
}

/** All events until the engine is idle; fails on an engine that never gets there. */
export function runUntilIdle(engine: Engine): EngineEvent[] {
  const events: EngineEvent[] = [];
  for (let turns = 0; engine.nextEventTime() < Number.POSITIVE_INFINITY; turns++) {
    if (turns > 100_000) throw new Error('the engine does not come to rest');
    events.push(...engine.advance(engine.nextEventTime()));
  }
  return events;
}

/** When the event of this type happened to the request. */
export function timeOf(events: readonly EngineEvent[], type: EngineEvent['type'], id: RequestId): number {
  const event = events.find((candidate) => candidate.type === type && 'id' in candidate && candidate.id === id);
  if (event === undefined) throw new Error(`no ${type} of ${id}`);
  return event.at;
}
