import type { IncomingMessage } from 'node:http';
import { ApiError, invalidRequest } from './api-error';

/** Largest request body that the server reads. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The whole body; rejects with 413 beyond 64 MiB (the rest is read and thrown away) and with the stream's error when the client goes. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new ApiError(413, 'RequestTooLargeError', `request body is ${bytes} bytes, the limit is ${MAX_BODY_BYTES}`);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** The body as a JSON object. */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw invalidRequest(`JSON decode error: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('expected a JSON object');
  }
  return value as Record<string, unknown>;
}
