import type { ImmediateAnswer } from '../ext-proc/processor';

interface Refusal {
  readonly status: number;
  /** The `error.type` of OpenAI's error body. */
  readonly type: string;
  readonly param: string | null;
  /** `{name}` is filled from the values of the case. */
  readonly message: string;
}

const INVALID = 'invalid_request_error';
const UNAVAILABLE = 'service_unavailable';

/**
 * Every answer of the router that refuses a request. The name is the `error.code` that the client sees, the label of
 * the metric and, after `router_`, the response code detail in Envoy's access log.
 */
const REFUSALS = {
  invalid_json: {
    status: 400,
    type: INVALID,
    param: null,
    message: 'The request body is not a JSON object that can be read: {detail}, at byte {offset}.',
  },
  invalid_utf8: {
    status: 400,
    type: INVALID,
    param: null,
    message: 'The request body is not valid UTF-8, at byte {offset}. Send it in UTF-8.',
  },
  invalid_multipart: {
    status: 400,
    type: INVALID,
    param: null,
    message: 'The request body is not multipart/form-data that can be read: {detail}.',
  },
  missing_model: {
    status: 400,
    type: INVALID,
    param: 'model',
    message: 'The request names no model. Set the model in the request body or the x-gateway-model-name header.',
  },
  model_not_string: {
    status: 400,
    type: INVALID,
    param: 'model',
    message: 'The field model must be a string; it is of type {found}.',
  },
  model_too_long: {
    status: 400,
    type: INVALID,
    param: 'model',
    message: 'The value of model is too long to be the name of a model.',
  },
  duplicate_model: {
    status: 400,
    type: INVALID,
    param: 'model',
    message: 'The request body holds more than one model, with different values. Send one.',
  },
  model_not_found: {
    status: 404,
    type: INVALID,
    param: 'model',
    message:
      'The model `{model}` does not exist on this gateway; GET /v1/models lists those that do (no matching model: set the model in the request body or the x-gateway-model-name header).',
  },
  no_route: {
    status: 404,
    type: INVALID,
    param: null,
    message:
      'Nothing is served at this path without a model (no matching model: set the model in the request body or the x-gateway-model-name header).',
  },
  body_too_large: {
    status: 413,
    type: INVALID,
    param: null,
    message: 'The request body is larger than the {limit} bytes that this gateway takes.',
  },
  pool_saturated: {
    status: 429,
    type: 'rate_limit_error',
    param: null,
    message: 'Every model server of this model is busy. Try again in {seconds} s.',
  },
  queue_full: {
    status: 429,
    type: 'rate_limit_error',
    param: null,
    message: 'Every model server of this model is busy, and as many requests wait as may. Try again in {seconds} s.',
  },
  queue_timeout: {
    status: 429,
    type: 'rate_limit_error',
    param: null,
    message: 'Every model server of this model stayed busy while the request waited. Try again in {seconds} s.',
  },
  shutting_down: {
    status: 503,
    type: UNAVAILABLE,
    param: null,
    message: 'This part of the gateway is shutting down. Try again.',
  },
  no_endpoints: {
    status: 503,
    type: UNAVAILABLE,
    param: null,
    message: 'No model server of this model is ready. Try again later.',
  },
  router_overloaded: {
    status: 503,
    type: UNAVAILABLE,
    param: null,
    message: 'The gateway holds as many request bytes as it can. Try again later.',
  },
  picker_failed: {
    status: 503,
    type: UNAVAILABLE,
    param: null,
    message: 'The gateway could not choose a model server. Try again later.',
  },
} as const satisfies Record<string, Refusal>;

export type RefusalName = keyof typeof REFUSALS;

export const REFUSAL_NAMES = Object.keys(REFUSALS) as readonly RefusalName[];

/** Longest piece of a client's input, in characters, that a message repeats. */
const MAX_SHOWN = 100;

/**
 * The answer for a refusal, with OpenAI's error body. `values` fill the message, shortened. `retryAfterSeconds` becomes
 * Retry-After: official clients try again after it, so it is only for requests that reached no model server.
 */
export function refuse(
  name: RefusalName,
  values: Readonly<Record<string, string | number>> = {},
  retryAfterSeconds?: number,
): ImmediateAnswer {
  const { status, type, param, message }: Refusal = REFUSALS[name];
  const filled = message.replace(/\{(\w+)\}/g, (_, key: string) => shorten(String(values[key] ?? '')));
  const headers: Array<readonly [string, string]> = [['content-type', 'application/json']];
  if (retryAfterSeconds !== undefined) headers.push(['retry-after', String(retryAfterSeconds)]);
  const body = JSON.stringify({ error: { message: filled, type, param, code: name } });
  return { kind: 'immediate', status, headers, body, details: `router_${name}` };
}

function shorten(text: string): string {
  // By code point: half a surrogate pair at the cut would not survive as UTF-8.
  return text.length <= MAX_SHOWN ? text : `${[...text.slice(0, MAX_SHOWN * 2)].slice(0, MAX_SHOWN).join('')}…`;
}
