import type { FleetRequest } from '../fleet/fleet-request';
import type { FleetPod, PolicyKind } from '../fleet/policy';
import { NO_SCRAPES } from './no-scrapes';
import { readyPods } from './ready-pods';

/** A prompt that is computed delays those after it: in the choice its time counts this many times. */
const PROMPT_PRICE = 2;

/**
 * Soonest first token by what no router can see: the prompts that are truly ahead, the true contents of each prefix
 * cache, the true lengths of the answers under way, each engine's true speed. It looks one request ahead only, so it is
 * a strong reference and not a bound.
 */
export const oracle: PolicyKind = {
  name: 'oracle',
  scrapeInterval: NO_SCRAPES,
  create(view) {
    const ready = readyPods(view);
    return {
      choose(request) {
        const costs = ready.current.map((pod) => ({
          pod,
          seconds: view.pods[pod]!.lost ? Number.POSITIVE_INFINITY : secondsAt(view.pods[pod]!, request, view.now()),
        }));
        costs.sort((a, b) => a.seconds - b.seconds);
        return costs.length === 0 ? 'no-endpoints' : { pods: costs.slice(0, 3).map(({ pod }) => pod) };
      },
    };
  },
};

function secondsAt(
  { engine, prefillTokensPerSecond }: FleetPod,
  { blocks, promptTokens, adapter }: FleetRequest,
  now: number,
): number {
  engine.advance(now);
  const insight = engine.insight(blocks, promptTokens, adapter);
  const ahead = insight.prefillTokensAhead / prefillTokensPerSecond;
  const own = (promptTokens - insight.cachedTokens) / prefillTokensPerSecond;
  const start = Math.max(ahead, insight.secondsUntilBlocks, Math.min(insight.secondsUntilAdapter, 60));
  return start + own * PROMPT_PRICE + insight.decodeStepSeconds;
}
