import type { JsonObject } from './json';
import { openAiError } from './openai-error';

interface LocalReply {
  /** CEL; the first reply whose condition holds is given. */
  readonly when: string;
  /** Shown to clients. */
  readonly message: string;
  readonly type: string;
  readonly code: string;
}

const INVALID = 'invalid_request_error';
const UNAVAILABLE = 'service_unavailable';

/** What Envoy itself may answer. */
const REPLIES: readonly LocalReply[] = [
  {
    when: `response.code_details == 'overload'`,
    message: 'The gateway holds as many request bytes as it can. Try again later.',
    type: UNAVAILABLE,
    code: 'gateway_overloaded',
  },
  { when: ofStatus(400), message: 'The HTTP request is malformed.', type: INVALID, code: 'bad_request' },
  { when: ofStatus(403), message: 'The gateway does not allow this request.', type: INVALID, code: 'forbidden' },
  { when: ofStatus(404), message: 'Nothing is served at this path.', type: INVALID, code: 'no_route' },
  { when: ofStatus(408), message: 'The request did not arrive in time.', type: INVALID, code: 'request_timeout' },
  {
    when: ofStatus(413),
    message: 'The request body is larger than this gateway takes.',
    type: INVALID,
    code: 'body_too_large',
  },
  {
    when: ofStatus(431),
    message: 'The request headers are larger than this gateway takes.',
    type: INVALID,
    code: 'headers_too_large',
  },
  { when: ofStatus(429), message: 'Too many requests.', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  {
    when: ofStatus(502),
    message: 'The model server gave no valid answer.',
    type: 'server_error',
    code: 'bad_gateway',
  },
  {
    when: ofStatus(503),
    message: 'No model server could take the request.',
    type: UNAVAILABLE,
    code: 'service_unavailable',
  },
  {
    when: ofStatus(504),
    message: 'The model server did not answer in time.',
    type: 'server_error',
    code: 'gateway_timeout',
  },
  { when: 'true', message: 'The gateway could not answer the request.', type: 'server_error', code: 'internal_error' },
];

/**
 * Envoy's own replies as OpenAI's error JSON. The processor's answers and direct responses are local replies too; they
 * are told apart by their Content-Type, which Envoy's own do not have yet when this is asked.
 */
export function localReplyConfig(): JsonObject {
  return {
    mappers: REPLIES.map(({ when, message, type, code }) => ({
      filter: {
        extension_filter: {
          name: 'envoy.access_loggers.extension_filters.cel',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
            expression: `!('content-type' in response.headers) && ${when}`,
          },
        },
      },
      body_format_override: { json_format: openAiError(message, type, code) },
    })),
  };
}

function ofStatus(status: number): string {
  return `response.code == ${status}`;
}
