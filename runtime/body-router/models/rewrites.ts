import type { RewriteState } from '../../../lib/translate/gateway-state';
import type { Route, RouteTo } from './route';

/** A rule of an InferenceModelRewrite whose targets have their routes. */
export interface RewriteRule {
  /** `namespace/name` of the InferenceModelRewrite. */
  readonly name: string;
  readonly scheduler: string;
  readonly targets: ReadonlyArray<{ readonly route: Route; readonly weight: number }>;
  readonly totalWeight: number;
}

export interface Rewrites {
  /** Rules by the model that they match exactly, in order of precedence. */
  readonly exact: ReadonlyMap<string, readonly RewriteRule[]>;
  /** The rule for every other model of a scheduler, by scheduler. */
  readonly generic: ReadonlyMap<string, RewriteRule>;
}

type Routes = ReadonlyMap<string, Route>;
type Schedulers = ReadonlyMap<string, RouteTo>;

/** Rules of schedulers that do not exist are left out. */
export function compileRewrites(states: readonly RewriteState[], models: Routes, schedulers: Schedulers): Rewrites {
  const exact = new Map<string, RewriteRule[]>();
  const generic = new Map<string, RewriteRule>();
  for (const state of states) {
    const own = schedulers.get(state.scheduler);
    if (own === undefined || state.targets.length === 0) continue;
    const targets = state.targets.map(({ model, weight }) => ({ route: targetRoute(model, own, models), weight }));
    const totalWeight = targets.reduce((sum, target) => sum + target.weight, 0);
    const rule = { name: state.name, scheduler: state.scheduler, targets, totalWeight };
    for (const model of new Set(state.models)) exact.set(model, [...(exact.get(model) ?? []), rule]);
    if (state.models.length === 0 && !generic.has(state.scheduler)) generic.set(state.scheduler, rule);
  }
  return { exact, generic };
}

/**
 * A model of any scheduler in the same namespace is served there, so that a canary can have pods of its own. Another
 * name stays with the rule's scheduler, whose model servers know it: a rule never reaches into another namespace.
 */
function targetRoute(model: string, own: RouteTo, models: Routes): Route {
  const known = models.get(model);
  const stay = own(model);
  return known !== undefined && known.namespace === stay.namespace ? known : { ...stay, known: true };
}

/**
 * The rule for a model: an exact one before a generic one. `route` is where the model is served without a rule. A rule
 * applies to models of its own scheduler; an exact one also to a name that no scheduler serves (an alias).
 */
export function findRule(rewrites: Rewrites, model: string, route: Route | undefined): RewriteRule | undefined {
  const own = (rule: RewriteRule) => route === undefined || rule.scheduler === route.scheduler;
  return rewrites.exact.get(model)?.find(own) ?? (route && rewrites.generic.get(route.scheduler));
}

/** The target for a draw in [0, 1), by weight. */
export function chooseTarget(rule: RewriteRule, draw: number): Route {
  let left = draw * rule.totalWeight;
  for (const { route, weight } of rule.targets) {
    left -= weight;
    if (left < 0) return route;
  }
  return rule.targets[rule.targets.length - 1]!.route;
}
