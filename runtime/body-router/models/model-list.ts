import type { Routing } from './routing';

/** A model as OpenAI's `GET /v1/models` shows it, with the two fields that vLLM adds. */
export interface ModelEntry {
  readonly id: string;
  readonly object: 'model';
  /** Unix seconds. */
  readonly created: number;
  readonly owned_by: string;
  readonly root: string;
  /** The base model of an adapter, else null. */
  readonly parent: string | null;
}

/** All models and adapters of all schedulers, base models first. */
export function modelEntries(routing: Routing, created: number): ModelEntry[] {
  return [...routing.models.values()].map(({ model, adapter, baseModel }) => ({
    id: model,
    object: 'model',
    created,
    owned_by: routing.state.gateway,
    root: adapter ?? model,
    parent: adapter === undefined ? null : (baseModel ?? null),
  }));
}
