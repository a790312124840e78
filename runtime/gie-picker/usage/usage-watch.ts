import { mediaType } from '../../body-router/multipart/content-type';
import type { HeaderMap } from '../../ext-proc/processor';
import { JsonUsage } from './json-usage';
import { SseUsage } from './sse-usage';
import type { TokenUsage } from './token-usage';

/** Sees the usage of an answer pass; holds nothing back. */
export interface UsageWatch {
  push(chunk: Buffer): void;
  /** The answer is over, or cut off. */
  end(): void;
  /** What was told so far. */
  readonly usage: TokenUsage | undefined;
}

/** The watch for a response, by its headers; undefined where it tells no usage that can be read. */
export function usageWatchFor(headers: HeaderMap): UsageWatch | undefined {
  if (!/^2\d\d$/.test(headers.get(':status') ?? '')) return undefined;
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') return undefined;
  const type = mediaType(headers.get('content-type'));
  if (type === 'text/event-stream') return new SseUsage();
  return type === 'application/json' ? new JsonUsage() : undefined;
}
