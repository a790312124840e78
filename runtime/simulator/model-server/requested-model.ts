import type { Exchange } from './exchange';

/** The `model` that a request names, in JSON or multipart, for the request log; null when there is none to be found. */
export function requestedModel(exchange: Pick<Exchange, 'request' | 'body' | 'json'>): string | null {
  if (exchange.request.headers['content-type']?.startsWith('multipart/') === true) {
    const part = /name="?model"?\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)\r\n/.exec(exchange.body.toString('latin1'));
    return part === null ? null : Buffer.from(part[1]!, 'latin1').toString('utf8');
  }
  try {
    const { model } = exchange.json();
    return typeof model === 'string' ? model : null;
  } catch {
    return null;
  }
}
