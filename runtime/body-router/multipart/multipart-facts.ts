import { isUtf8 } from 'node:buffer';
import type { Body } from '../../ext-proc/processor';
import { indexOf } from '../body/index-of';
import { type Span, spanBytes } from '../body/span';
import type { Sliced } from '../body/turns';
import { type FactsResult, MAX_MODEL_BYTES } from '../request-facts';
import { parameter } from './content-type';

/** Headers of one part, in bytes. */
const MAX_PART_HEADER_BYTES = 16 * 1024;
const MAX_PARTS = 1000;

/**
 * Finds the `model` field of a `multipart/form-data` body (RFC 7578); a file of that name is not the field. Every part
 * is looked at: of a repeated field some servers take the first value and some the last, so the values must agree.
 */
export function* multipartFacts(body: Body, contentType: string): Sliced<FactsResult> {
  const boundary = parameter(contentType, 'boundary');
  if (boundary === undefined || !/^[\x20-\x7e]{1,70}$/.test(boundary)) {
    return invalid('the content type has no boundary of 1 to 70 characters');
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let at = yield* firstDelimiter(body, delimiter);
  if (at < 0) return invalid('the boundary of the content type is not in the body');

  let name: string | undefined;
  const spans: Span[] = [];
  for (let parts = 0; ; parts++) {
    const line = yield* indexOf(body, Buffer.from('\r\n'), at);
    const closing = spanBytes(body, { start: at, end: at + 2 }).toString('latin1') === '--';
    if (closing) break;
    if (line < 0) return invalid('the last part has no closing boundary');
    if (parts === MAX_PARTS) return invalid(`it has more than ${MAX_PARTS} parts`);
    if (spanBytes(body, { start: at, end: line }).toString('latin1').trim() !== '') {
      return invalid('a line goes on after the boundary');
    }
    const headers = partHeaders(body, line, delimiter);
    if (headers === undefined) return invalid(`the headers of part ${parts + 1} have no end or are too long`);
    const end = yield* indexOf(body, delimiter, headers.end - 2);
    if (end < 0) return invalid('the last part has no closing boundary');
    at = end + delimiter.length;
    yield;
    if (!isModelField(headers.text)) continue;

    const value = { start: Math.min(headers.end, end), end };
    if (value.end - value.start > MAX_MODEL_BYTES) return { refusal: 'model_too_long', values: {} };
    const bytes = spanBytes(body, value);
    if (!isUtf8(bytes)) return { refusal: 'invalid_utf8', values: { offset: value.start } };
    const text = bytes.toString('utf8').trim();
    if (name !== undefined && text !== name) return { refusal: 'duplicate_model', values: {} };
    name = text;
    spans.push(value);
  }
  return {
    ...(name !== undefined && name !== '' && { model: { name, spans, encode: encodeText } }),
    prompt: [],
    promptBytes: 0,
  };
}

/** Offset after the first delimiter, which alone may stand at the very start, without a line break before it. */
function* firstDelimiter(body: Body, delimiter: Buffer): Sliced<number> {
  const opening = delimiter.subarray(2);
  if (spanBytes(body, { start: 0, end: opening.length }).equals(opening)) return opening.length;
  const found = yield* indexOf(body, delimiter, 0);
  return found < 0 ? -1 : found + delimiter.length;
}

/** The headers of the part whose delimiter line ends at `line`, and where its content starts. */
function partHeaders(body: Body, line: number, delimiter: Buffer): { text: string; end: number } | undefined {
  const bytes = spanBytes(body, { start: line, end: line + MAX_PART_HEADER_BYTES });
  const found = bytes.indexOf('\r\n\r\n');
  if (found < 0 || bytes.subarray(0, found).includes(delimiter)) return undefined;
  const text = spanBytes(body, { start: line + 2, end: line + found }).toString('utf8');
  return { text, end: line + found + 4 };
}

function isModelField(headers: string): boolean {
  const disposition = headers.split('\r\n').find((header) => /^content-disposition\s*:/i.test(header));
  if (disposition === undefined || parameter(disposition, 'filename') !== undefined) return false;
  return parameter(disposition, 'name') === 'model';
}

function encodeText(text: string): Buffer {
  return Buffer.from(text);
}

function invalid(detail: string): FactsResult {
  return { refusal: 'invalid_multipart', values: { detail } };
}
