import { ApiError, ClientGone, invalidRequest } from './api-error';
import type { Exchange, ServerContext } from './exchange';
import { generatedToken, naturalLength } from './generated-text';
import type { Prompt } from './prompt';

/** Work for the engine on behalf of one exchange. */
export interface GenerationRequest {
  readonly prompt: Prompt;
  readonly adapter: string | undefined;
  /** Tokens to generate; 0 for prefill only. */
  readonly outputTokens: number;
  readonly finishReason: 'stop' | 'length';
}

/** The finished work. */
export interface Generation {
  readonly text: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly finishReason: 'stop' | 'length';
}

/** Output length of an answer: the text's natural one, cut by the client's limit; `ignore_eos` fills the limit as in vLLM. */
export function planOutput(
  prompt: Prompt,
  maxModelLen: number,
  body: Record<string, unknown>,
  limitField: string,
): Pick<GenerationRequest, 'outputTokens' | 'finishReason'> {
  const limit = positiveInteger(body, limitField);
  if (prompt.tokens + (limit ?? 1) > maxModelLen) {
    throw invalidRequest(
      `This model's maximum context length is ${maxModelLen} tokens. However, you requested ${prompt.tokens + (limit ?? 1)} tokens ` +
        `(${prompt.tokens} in the prompt, ${limit ?? 1} in the completion). Please reduce the length of the prompt or completion.`,
      limitField,
    );
  }
  const most = limit ?? maxModelLen - prompt.tokens;
  const natural = Math.max(naturalLength(prompt.seed), positiveInteger(body, 'min_tokens') ?? 0);
  if (body.ignore_eos === true && limit !== undefined) return { outputTokens: limit, finishReason: 'length' };
  return natural <= most
    ? { outputTokens: natural, finishReason: 'stop' }
    : { outputTokens: most, finishReason: 'length' };
}

function positiveInteger(body: Record<string, unknown>, field: string): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw invalidRequest(`${field}: expected a whole number from 1, got ${JSON.stringify(value)}`, field);
  }
  return value;
}

/**
 * Runs the work in the engine, telling each token's text as it comes. Rejects with `ClientGone` when the client
 * leaves, which cancels the work, and with an `ApiError` when the engine refuses.
 */
export function generate(
  context: ServerContext,
  exchange: Exchange,
  work: GenerationRequest,
  onToken: (text: string, cachedTokens: number) => void = () => {},
): Promise<Generation> {
  const { prompt, adapter, finishReason } = work;
  return new Promise((resolve, reject) => {
    let text = '';
    let count = 0;
    const known = context.kvBlocks?.know(prompt, adapter);
    const id = context.engine.submit(
      {
        promptTokens: prompt.tokens,
        blocks: prompt.blocks,
        outputTokens: work.outputTokens,
        ...(adapter === undefined ? {} : { adapter }),
      },
      {
        onToken(cachedTokens) {
          if (count >= (context.faults.current().dieMidStream ?? Number.POSITIVE_INFINITY)) {
            // After this turn of the event loop, so that the tokens already written reach the client.
            setImmediate(() => exchange.response.socket?.destroy());
            context.engine.cancel(id);
            return;
          }
          const token = generatedToken(prompt.seed, count++);
          text += token;
          onToken(token, cachedTokens);
        },
        onFinished(cachedTokens) {
          forget();
          resolve({ text, promptTokens: prompt.tokens, cachedTokens, outputTokens: count, finishReason });
        },
        onRejected(reason) {
          forget();
          reject(new ApiError(400, 'BadRequestError', `the engine refused the request: ${reason}`));
        },
      },
    );
    const stay = exchange.onGone(() => {
      context.engine.cancel(id);
      known?.();
      reject(new ClientGone());
    });
    const forget = () => {
      stay();
      known?.();
    };
  });
}
