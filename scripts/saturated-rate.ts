import { createEngine } from '../runtime/simulator/engine/engine';
import type { EngineParameters } from '../runtime/simulator/engine/parameters';
import type { Workload } from '../runtime/simulator/fleet/fleet-request';

/** Seconds of engine time that are measured, after as many to warm up. */
const MEASURED_SECONDS = 240;
/** Requests without a first token that are kept before the pod: always enough for its next step. */
const BACKLOG = 32;

/**
 * Requests per second that one pod finishes while there is always another one waiting: its capacity for this mix.
 * `requests` come in order, over and over, at whatever times are needed; they must fit the pod.
 */
export function saturatedRate(parameters: EngineParameters, requests: Workload, random: () => number): number {
  const engine = createEngine(parameters, random, { tokenEvents: false });
  let source = requests[Symbol.iterator]();
  let id = 0;
  let waiting = 0;
  let finished = 0;

  function submitNext(now: number): void {
    let next = source.next();
    if (next.done) {
      source = requests[Symbol.iterator]();
      next = source.next();
    }
    const { promptTokens, outputTokens, blocks, adapter } = next.value!;
    engine.submit(now, { id: id++, promptTokens, outputTokens, blocks, ...(adapter !== undefined && { adapter }) });
    waiting += 1;
  }

  for (let now = 0; now < 2 * MEASURED_SECONDS; now = engine.nextEventTime()) {
    for (const event of engine.advance(now)) {
      if (event.type === 'rejected') throw new Error('a request is too long for the pod');
      if (event.type === 'first-token') waiting -= 1;
      if (event.type === 'finished' && event.at >= MEASURED_SECONDS) finished += 1;
    }
    while (waiting < BACKLOG) submitNext(now);
  }
  return finished / MEASURED_SECONDS;
}
