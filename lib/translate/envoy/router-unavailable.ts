import { openAiError } from './openai-error';

/** What is answered where nobody has said which of several models is asked for: the processor is dead. */
export const ROUTER_UNAVAILABLE = {
  status: 503,
  body: JSON.stringify(
    openAiError(
      'The gateway cannot read requests at the moment. Try again later.',
      'service_unavailable',
      'router_unavailable',
    ),
  ),
} as const;
