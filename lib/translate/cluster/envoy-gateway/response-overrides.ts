import { LOCAL_REPLIES, type LocalReply } from '../../envoy/local-replies';
import { openAiError } from '../../envoy/openai-error';

/** The number of a request, on its response: as it stands in the log of access. */
export const REQUEST_ID = { name: 'x-request-id', value: '%REQ(X-REQUEST-ID)%' } as const;

/**
 * Envoy's own replies as OpenAI's error JSON. Those of the router and direct responses are local to Envoy too: they are
 * told apart by their Content-Type, since Envoy's own are plain text. What Envoy says of a reply besides its status
 * cannot be matched.
 */
export function responseOverrides() {
  return LOCAL_REPLIES.filter(({ details }) => details === undefined).map((reply) => ({
    source: 'Local',
    match: {
      statusCodes: [statusMatch(reply)],
      responseHeaders: [{ name: 'content-type', value: { type: 'Exact', value: 'text/plain' } }],
    },
    response: {
      contentType: 'application/json',
      body: { type: 'Inline', inline: JSON.stringify(openAiError(reply.message, reply.type, reply.code)) },
      // What headers the reply had is lost.
      header: {
        set: [REQUEST_ID, ...(reply.status === 401 ? [{ name: 'www-authenticate', value: 'Bearer' }] : [])],
      },
    },
  }));
}

function statusMatch({ status }: LocalReply) {
  return status === undefined ? { type: 'Range', range: { start: 400, end: 599 } } : { type: 'Value', value: status };
}
