import type { JsonObject } from './json';
import { openAiError } from './openai-error';

/** What Envoy itself may answer, by status. `message` is shown to clients. */
const REPLIES: ReadonlyArray<{ status: number; message: string; type: string; code: string }> = [
  { status: 400, message: 'The HTTP request is malformed.', type: 'invalid_request_error', code: 'bad_request' },
  {
    status: 403,
    message: 'The gateway does not allow this request.',
    type: 'invalid_request_error',
    code: 'forbidden',
  },
  { status: 404, message: 'No such path.', type: 'invalid_request_error', code: 'not_found' },
  {
    status: 408,
    message: 'The request did not arrive in time.',
    type: 'invalid_request_error',
    code: 'request_timeout',
  },
  {
    status: 413,
    message: 'The request body is larger than the gateway accepts.',
    type: 'invalid_request_error',
    code: 'request_too_large',
  },
  {
    status: 431,
    message: 'The request headers are larger than the gateway accepts.',
    type: 'invalid_request_error',
    code: 'request_headers_too_large',
  },
  { status: 429, message: 'Too many requests.', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  { status: 502, message: 'The model server gave no valid answer.', type: 'server_error', code: 'bad_gateway' },
  {
    status: 503,
    message: 'No model server could take the request.',
    type: 'server_error',
    code: 'service_unavailable',
  },
  {
    status: 504,
    message: 'The model server did not answer in time.',
    type: 'server_error',
    code: 'gateway_timeout',
  },
];

/**
 * Envoy's own replies as OpenAI's error JSON. The processor's answers and direct responses are local replies too; they
 * are told apart by their Content-Type, which Envoy's own never have when this is asked.
 */
export function localReplyConfig(): JsonObject {
  return {
    mappers: [
      ...REPLIES.map(({ status, message, type, code }) =>
        mapper(`response.code == ${status} && ${OWN_REPLY}`, message, type, code),
      ),
      mapper(OWN_REPLY, 'The gateway could not answer the request.', 'server_error', 'internal_error'),
    ],
  };
}

const OWN_REPLY = `!('content-type' in response.headers)`;

function mapper(expression: string, message: string, type: string, code: string): JsonObject {
  return {
    filter: {
      extension_filter: {
        name: 'envoy.access_loggers.extension_filters.cel',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
          expression,
        },
      },
    },
    body_format_override: { json_format: openAiError(message, type, code) },
  };
}
