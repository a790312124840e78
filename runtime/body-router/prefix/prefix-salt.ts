import type { Route } from '../models/route';

/**
 * What parts prefix caches: the base model, what of it serves (an adapter, or itself), and the request's cache salt.
 * Each part stands behind its length, so that no two requests have one salt unless they have all parts in common.
 */
export function prefixSalt({ baseModel = '', model }: Route, cacheSalt: string): string {
  return `${baseModel.length}:${baseModel}${model.length}:${model}${cacheSalt}`;
}
