import { type GatewayState, type SchedulerState, schedulerName } from '../../../lib/translate/gateway-state';
import { compileRewrites, type Rewrites } from './rewrites';
import type { Route, RouteTo } from './route';

/** A `GatewayState` compiled for look-ups. */
export interface Routing {
  readonly state: GatewayState;
  readonly models: ReadonlyMap<string, Route>;
  /** Each scheduler's route to a model that is none of its own, by `namespace/name`. */
  readonly schedulers: ReadonlyMap<string, RouteTo>;
  /** Each scheduler's own state, by the same name. */
  readonly states: ReadonlyMap<string, SchedulerState>;
  /** The scheduler, where there is one alone: it gets what names no model. */
  readonly only?: RouteTo;
  /** The scheduler that takes every model. */
  readonly anyModel?: RouteTo;
  readonly rewrites: Rewrites;
}

/** Of a name that two schedulers claim, a base model goes before an adapter, then the first scheduler. */
export function compileRouting(state: GatewayState): Routing {
  const models = new Map<string, Route>();
  const schedulers = new Map<string, RouteTo>();
  for (const scheduler of state.schedulers) {
    const route = routeTo(scheduler);
    schedulers.set(route('').scheduler, route);
    const { modelName } = scheduler;
    if (modelName !== undefined && !models.has(modelName)) models.set(modelName, { ...route(modelName), known: true });
  }
  for (const scheduler of state.schedulers) {
    for (const adapter of scheduler.adapters) {
      if (!models.has(adapter)) models.set(adapter, { ...routeTo(scheduler)(adapter), adapter, known: true });
    }
  }
  const [first] = state.schedulers;
  const open = state.bodyRouting ? state.schedulers.find((scheduler) => scheduler.modelName === undefined) : first;
  return {
    state,
    models,
    schedulers,
    states: new Map(state.schedulers.map((scheduler) => [schedulerName(scheduler), scheduler])),
    ...(first !== undefined && state.schedulers.length === 1 && { only: routeTo(first) }),
    ...(open !== undefined && { anyModel: routeTo(open) }),
    rewrites: compileRewrites(state.rewrites, models, schedulers),
  };
}

function routeTo({ namespace, name, modelName }: SchedulerState): RouteTo {
  const route = {
    scheduler: `${namespace}/${name}`,
    namespace,
    ...(modelName !== undefined && { baseModel: modelName }),
  };
  return (model) => ({ ...route, model, known: false });
}
