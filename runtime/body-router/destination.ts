import type { HeaderMap } from '../ext-proc/processor';
import { MODEL_NAME } from './control-headers';
import type { RefusalName } from './errors';
import { type Resolution, resolveModel } from './models/resolve';
import type { Routing } from './models/routing';

/** How a request can name its model. */
export type BodyKind =
  /** The body is read for it: JSON or multipart. */
  | 'readable'
  /** The body is of a type that is not read. */
  | 'opaque'
  /** There is no body. */
  | 'none';

export type Destination =
  | ({ readonly kind: 'scheduler' } & Resolution)
  | { readonly kind: 'default-backend' }
  | { readonly kind: 'refused'; readonly refusal: RefusalName; readonly model?: string };

/**
 * Where a request goes. `bodyModel`: the model that its body names, which wins over the header. What names no model
 * goes to the only scheduler, except where a body should have named one.
 */
export function chooseDestination(
  routing: Routing,
  headers: HeaderMap,
  body: BodyKind,
  bodyModel: string | undefined,
  random: () => number,
): Destination {
  const model = bodyModel ?? headerModel(headers);
  const fallback = routing.state.defaultBackend && ({ kind: 'default-backend' } as const);
  if (model !== undefined) {
    const resolution = resolveModel(routing, model, random);
    if (resolution !== undefined) return { kind: 'scheduler', ...resolution };
    return fallback ?? { kind: 'refused', refusal: 'model_not_found', model };
  }
  const mustName = body === 'readable' || (body === 'none' && isWrite(headers.get(':method')));
  if (mustName && routing.state.bodyRouting) return { kind: 'refused', refusal: 'missing_model' };
  const only = routing.only ?? (routing.state.bodyRouting ? undefined : routing.anyModel);
  if (only !== undefined) return { kind: 'scheduler', route: baseRoute(only('')) };
  return fallback ?? { kind: 'refused', refusal: body === 'none' ? 'no_route' : 'missing_model' };
}

/** A request that names no model is for the scheduler's base model. */
function baseRoute(route: Resolution['route']): Resolution['route'] {
  return { ...route, model: route.baseModel ?? '', known: route.baseModel !== undefined };
}

export function headerModel(headers: HeaderMap): string | undefined {
  return headers.get(MODEL_NAME)?.trim() || undefined;
}

function isWrite(method: string | undefined): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}
