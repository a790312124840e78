import type { JsonObject } from './json';
import { openAiError } from './openai-error';

/** What Envoy itself answers, as a client sees it. */
export interface LocalReply {
  /** Absent: any other. */
  readonly status?: number;
  /** `response.code_details`, where those of one status differ. */
  readonly details?: string;
  /** Shown to clients. */
  readonly message: string;
  readonly type: string;
  readonly code: string;
}

const INVALID = 'invalid_request_error';
const UNAVAILABLE = 'service_unavailable';

/** The first that fits is given. */
export const LOCAL_REPLIES: readonly LocalReply[] = [
  {
    status: 503,
    details: 'overload',
    message: 'The gateway holds as many request bytes as it can. Try again later.',
    type: UNAVAILABLE,
    code: 'gateway_overloaded',
  },
  { status: 400, message: 'The HTTP request is malformed.', type: INVALID, code: 'bad_request' },
  {
    status: 401,
    message: 'A valid token is needed: send it as "Authorization: Bearer TOKEN".',
    type: 'authentication_error',
    code: 'invalid_token',
  },
  { status: 403, message: 'The gateway does not allow this request.', type: INVALID, code: 'forbidden' },
  { status: 404, message: 'Nothing is served at this path.', type: INVALID, code: 'no_route' },
  { status: 408, message: 'The request did not arrive in time.', type: INVALID, code: 'request_timeout' },
  {
    status: 413,
    message: 'The request body is larger than this gateway takes.',
    type: INVALID,
    code: 'body_too_large',
  },
  {
    status: 431,
    message: 'The request headers are larger than this gateway takes.',
    type: INVALID,
    code: 'headers_too_large',
  },
  { status: 429, message: 'Too many requests.', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  { status: 502, message: 'The model server gave no valid answer.', type: 'server_error', code: 'bad_gateway' },
  {
    status: 503,
    message: 'No model server could take the request.',
    type: UNAVAILABLE,
    code: 'service_unavailable',
  },
  {
    status: 504,
    message: 'The model server did not answer in time.',
    type: 'server_error',
    code: 'gateway_timeout',
  },
  { message: 'The gateway could not answer the request.', type: 'server_error', code: 'internal_error' },
];

/**
 * Envoy's own replies as OpenAI's error JSON. The processor's answers and direct responses are local replies too; they
 * are told apart by their Content-Type, which Envoy's own do not have yet when this is asked.
 */
export function localReplyConfig(): JsonObject {
  return {
    mappers: LOCAL_REPLIES.map((reply) => ({
      filter: {
        extension_filter: {
          name: 'envoy.access_loggers.extension_filters.cel',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
            expression: `!('content-type' in response.headers) && ${condition(reply)}`,
          },
        },
      },
      body_format_override: { json_format: openAiError(reply.message, reply.type, reply.code) },
    })),
  };
}

/** In CEL. */
function condition({ status, details }: LocalReply): string {
  if (details !== undefined) return `response.code_details == '${details}'`;
  return status === undefined ? 'true' : `response.code == ${status}`;
}
