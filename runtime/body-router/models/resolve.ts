import { chooseTarget, findRule } from './rewrites';
import type { Route } from './route';
import type { Routing } from './routing';

export interface Resolution {
  readonly route: Route;
  /** `namespace/name` of the InferenceModelRewrite that chose `route`. */
  readonly rewrite?: string;
}

/**
 * Where a request for `model` goes; undefined when no scheduler serves it. A rewrite is applied once: what it names is
 * not looked up again among the rules. `random` gives a draw in [0, 1).
 */
export function resolveModel(routing: Routing, model: string, random: () => number): Resolution | undefined {
  const route = routing.models.get(model) ?? routing.anyModel?.(model);
  const rule = findRule(routing.rewrites, model, route);
  if (rule !== undefined) return { route: chooseTarget(rule, random()), rewrite: rule.name };
  return route && { route };
}
