import { ApiError, invalidRequest } from './api-error';
import type { ServerContext } from './exchange';

/** The adapter that a request's `model` names; undefined for the base model, which an absent `model` means too. Throws 404 for others. */
export function resolveAdapter(context: ServerContext, model: unknown): string | undefined {
  if (model === undefined || model === null || model === context.model) return undefined;
  if (typeof model !== 'string') throw invalidRequest('model: expected a string', 'model');
  if (context.adapters.includes(model)) return model;
  throw new ApiError(404, 'NotFoundError', `The model \`${model}\` does not exist.`, 'model');
}

/** The answer of `GET /v1/models`: the base model, and the adapters with it as parent. */
export function listModels(context: ServerContext): unknown {
  const entry = (id: string, parent: string | null) => ({
    id,
    object: 'model',
    created: context.created,
    owned_by: 'vllm',
    root: id,
    parent,
    max_model_len: parent === null ? context.engine.maxModelLen : null,
    permission: [],
  });
  return {
    object: 'list',
    data: [entry(context.model, null), ...context.adapters.map((adapter) => entry(adapter, context.model))],
  };
}
