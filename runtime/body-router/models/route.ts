/** Where one model is served. */
export interface Route {
  /** `namespace/name`. */
  readonly scheduler: string;
  readonly namespace: string;
  /** The model as the model server is to see it; empty where the request names none. */
  readonly model: string;
  /** The model that the scheduler is for; absent where it takes every model. */
  readonly baseModel?: string;
  /** `model`, where it is a LoRA adapter. */
  readonly adapter?: string;
  /** `model` is written in the configuration, so it may label a metric. */
  readonly known: boolean;
}

/** One scheduler's route to a model that is none of its own. */
export type RouteTo = (model: string) => Route;
