import type { EngineCounters } from '../engine-metrics';
import type { Work } from './learned-speed';

/**
 * What an engine did between two answers, in `busySeconds` of time with requests in flight that began `starts` times. Undefined: it does not tell,
 * did nothing, or has restarted in between.
 */
export function workBetween(
  before: EngineCounters,
  after: EngineCounters,
  busySeconds: number,
  starts: number,
): Work | undefined {
  const steps = after.steps - before.steps;
  const prompt = after.promptTokens - before.promptTokens;
  const cached = after.cachedTokens - before.cachedTokens;
  const generated = after.generatedTokens - before.generatedTokens;
  if (!(steps > 0 && prompt >= 0 && busySeconds > 0) || cached < 0 || generated < 0) return undefined;
  const promptTokens = Math.max(0, prompt - (Number.isNaN(cached) ? 0 : cached));
  return {
    seconds: busySeconds,
    steps,
    generatedTokens: Number.isNaN(generated) ? 0 : generated,
    promptTokens,
    starts,
  };
}
