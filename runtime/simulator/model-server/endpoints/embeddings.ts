import { seededRandom } from '../../engine/seeded-random';
import { answerId } from '../answer-id';
import { invalidRequest } from '../api-error';
import { type Exchange, type ServerContext, sendJson } from '../exchange';
import { resolveAdapter } from '../models';
import { prefill } from '../prefill';
import { readInputs } from '../prompt-inputs';

const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 4096;

/** `POST /v1/embeddings`: unit vectors that depend only on the text. */
export async function embeddings(context: ServerContext, exchange: Exchange): Promise<void> {
  const body = exchange.json();
  const adapter = resolveAdapter(context, body.model);
  const inputs = readInputs(body.input, 'input');
  const dimensions = body.dimensions ?? DEFAULT_DIMENSIONS;
  if (
    typeof dimensions !== 'number' ||
    !Number.isInteger(dimensions) ||
    dimensions < 1 ||
    dimensions > MAX_DIMENSIONS
  ) {
    throw invalidRequest(`dimensions: expected a whole number from 1 to ${MAX_DIMENSIONS}`, 'dimensions');
  }
  const tokens = await prefill(context, exchange, inputs, adapter);
  sendJson(exchange, {
    id: answerId('embd-', exchange, inputs[0]!),
    object: 'list',
    created: context.created,
    model: body.model ?? context.model,
    data: inputs.map(({ seed }, index) => {
      const vector = unitVector(seed, dimensions);
      const base64 = body.encoding_format === 'base64';
      return {
        index,
        object: 'embedding',
        embedding: base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
      };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0, prompt_tokens_details: null },
  });
}

function unitVector(seed: number, dimensions: number): Float32Array {
  const random = seededRandom(seed);
  const vector = Float32Array.from({ length: dimensions }, () => 2 * random() - 1);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
