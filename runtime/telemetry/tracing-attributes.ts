import type { Attributes } from '@opentelemetry/api';
import type { PickRequest, PickResult } from '../endpoint-picker/endpoint-picker';
import type { Explanation, ScorerName } from '../endpoint-picker/scheduling/explanation';

/** Of the span of a request. `model`: a name of the configuration, or `other`. */
export function requestAttributes(request: PickRequest, model: string): Attributes {
  return {
    'gen_ai.request.model': model,
    'inference_gateway.scheduler': request.scheduler,
    'inference_gateway.prompt_bytes': request.promptBytes,
    ...(request.maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': request.maxOutputTokens }),
  };
}

/** Of the span of a pick. Lists go by candidate, in the order of `inference_gateway.pick.candidates`. */
export function decisionAttributes(result: PickResult, { scheduler }: PickRequest): Attributes {
  return {
    'inference_gateway.scheduler': scheduler,
    'inference_gateway.pick.outcome': result.outcome,
    ...(result.outcome === 'picked' && {
      'inference_gateway.pick.endpoints': [...result.endpoints],
      ...(result.matchedBlocks !== undefined && { 'inference_gateway.pick.matched_blocks': result.matchedBlocks }),
      ...(result.explanation !== undefined && explanationAttributes(result.explanation)),
    }),
  };
}

function explanationAttributes(explanation: Explanation): Attributes {
  const { candidates, leftOut, runnerUp, weights, held } = explanation;
  const attributes: Attributes = {
    winner: explanation.winner,
    prompt_blocks: explanation.promptBlocks,
    candidates: candidates.map(({ pod }) => pod),
    'candidate.totals': candidates.map(({ total }) => total),
    'candidate.matched_blocks': candidates.map(({ matchedBlocks }) => matchedBlocks),
    'candidate.predicted_ttft_seconds': candidates.map(({ predictedTtftMs }) =>
      predictedTtftMs === undefined ? -1 : predictedTtftMs / 1000,
    ),
    more_candidates: explanation.moreCandidates,
    left_out: leftOut.map(({ pod, reason }) => `${pod}: ${reason}`),
    more_left_out: explanation.moreLeftOut,
  };
  if (runnerUp !== undefined) {
    attributes.runner_up = runnerUp.pod;
    attributes.margin = runnerUp.by;
  }
  if (held !== undefined) {
    attributes.held_seconds = held.ms / 1000;
    attributes.band = held.band;
  }
  for (const [name, weight] of Object.entries(weights)) {
    attributes[`weight.${name}`] = weight;
    attributes[`score.${name}`] = candidates.map(({ scores }) => scores[name as ScorerName] ?? 0);
  }
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [`inference_gateway.pick.${name}`, value]),
  );
}
