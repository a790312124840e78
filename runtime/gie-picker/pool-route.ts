import type { Resolution } from '../body-router/models/resolve';
import { chooseTarget, findRule } from '../body-router/models/rewrites';
import type { Route, RouteTo } from '../body-router/models/route';
import type { Routing } from '../body-router/models/routing';

/**
 * What serves `model` in one pool; undefined where the state does not hold the pool. The proxy has chosen the pool, so
 * every model goes there: a rewrite changes its name and never the pool. A name that is neither the pool's model nor
 * listed as an adapter may be an adapter that was loaded at run time, and is weighed as one.
 */
export function poolRoute(
  routing: Routing,
  scheduler: string,
  model: string | undefined,
  random: () => number,
): Resolution | undefined {
  const own = routing.schedulers.get(scheduler);
  if (own === undefined) return undefined;
  if (model === undefined) return { route: routeTo(routing, own, own('').baseModel ?? '') };
  const asked = routeTo(routing, own, model);
  const rule = findRule(routing.rewrites, model, asked);
  if (rule === undefined) return { route: asked };
  return { route: { ...routeTo(routing, own, chooseTarget(rule, random()).model), known: true }, rewrite: rule.name };
}

function routeTo(routing: Routing, own: RouteTo, model: string): Route {
  const route = own(model);
  const listed = routing.models.get(model);
  if (listed?.scheduler === route.scheduler) return listed;
  return route.baseModel === undefined || route.baseModel === model ? route : { ...route, adapter: model };
}
