import { spanBytes } from '../body-router/body/span';
import { requestIdentity } from '../body-router/identity';
import type { Resolution } from '../body-router/models/resolve';
import type { Routing } from '../body-router/models/routing';
import { blockHashes } from '../body-router/prefix/block-hashes';
import { prefixSalt } from '../body-router/prefix/prefix-salt';
import type { RequestFacts } from '../body-router/request-facts';
import { tokenizable } from '../body-router/tokenizable';
import type { PickRequest } from '../endpoint-picker/endpoint-picker';
import type { Body, HeaderMap } from '../ext-proc/processor';

/** A request that is complete, and whose endpoint is being picked. */
export interface Departure extends Resolution {
  /** On the picker's clock, milliseconds: when the last of it came. */
  readonly startedAt: number;
  readonly body: Body;
  readonly facts: RequestFacts;
  /** The model asked for; undefined where the request names none. */
  readonly asked: string | undefined;
  readonly routing: Routing;
}

/** `subset`: the endpoints that it may go to; undefined: all of the pool's. */
export function pickRequest(
  { body, facts, route, routing }: Departure,
  headers: HeaderMap,
  subset: readonly string[] | undefined,
): PickRequest {
  const salt = prefixSalt(route, facts.cacheSalt ? spanBytes(body, facts.cacheSalt).toString('latin1') : '');
  return {
    scheduler: route.scheduler,
    model: route.model,
    ...(route.adapter !== undefined && { adapter: route.adapter }),
    promptBytes: facts.promptBytes,
    ...(facts.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
    ...(facts.answers !== undefined && { answers: facts.answers }),
    prefixHashes: blockHashes(body, facts.prompt, salt),
    ...requestIdentity(headers, routing.state, routing.states.get(route.scheduler) ?? {}),
    bodyBytes: body.length,
    ...(subset !== undefined && { subset }),
    explain: false,
    tokenizable: () => tokenizable(body, facts, route.model),
  };
}
