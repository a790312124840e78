/**
 * Reading single samples out of a page in the Prometheus text format, or OpenMetrics, without making anything of the
 * rest of it. All functions work on the bytes; none throws, whatever the bytes are.
 *
 * A sample is one line: name, optional labels in braces, value, optional timestamp and exemplar. Lines start with the
 * name, as every exporter writes them.
 */

/** A metric name as a needle: the name at the start of a line. */
export interface SampleName {
  readonly name: Buffer;
  readonly needle: Buffer;
}

export function sampleName(name: string): SampleName {
  return { name: Buffer.from(name, 'latin1'), needle: Buffer.from(`\n${name}`, 'latin1') };
}

/** `labels` is the part of the line between the braces, empty where there is none: offsets in the page. */
export type SampleVisitor = (value: number, labelsStart: number, labelsEnd: number) => void;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Calls `visit` with each well-formed sample of exactly this name, in the order of the page. Lines of one name stand
 * together, as the format demands, so that nothing is read beyond them.
 */
export function forEachSample(page: Buffer, sample: SampleName, visit: SampleVisitor): void {
  let line = firstLine(page, sample);
  while (line >= 0) {
    readSample(page, line + sample.name.length, visit);
    line = nextLineOfGroup(page, sample, line);
  }
}

/** Offset of the first line with the name, or -1. */
function firstLine(page: Buffer, { name, needle }: SampleName): number {
  let line = isAt(page, name, 0) ? 0 : lineFrom(page, needle, 0);
  while (line >= 0 && !isDelimiter(page[line + name.length])) line = lineFrom(page, needle, line + name.length);
  return line;
}

function lineFrom(page: Buffer, needle: Buffer, from: number): number {
  const at = page.indexOf(needle, from);
  return at < 0 ? -1 : at + 1;
}

function nextLineOfGroup(page: Buffer, { name }: SampleName, line: number): number {
  const next = page.indexOf(NEWLINE, line) + 1;
  return next > 0 && isAt(page, name, next) && isDelimiter(page[next + name.length]) ? next : -1;
}

function isAt(page: Buffer, name: Buffer, at: number): boolean {
  return at + name.length <= page.length && page.compare(name, 0, name.length, at, at + name.length) === 0;
}

/** What may follow a name; anything else makes it a longer one. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === OPEN || byte === 0x20 || byte === 0x09;
}

function readSample(page: Buffer, afterName: number, visit: SampleVisitor): void {
  let at = afterName;
  let labelsStart = at;
  let labelsEnd = at;
  // Between the name and the braces, as after them, blanks are allowed.
  at = skipBlanks(page, at);
  if (page[at] === OPEN) {
    labelsStart = at + 1;
    labelsEnd = endOfLabels(page, labelsStart);
    if (labelsEnd < 0) return;
    at = skipBlanks(page, labelsEnd + 1);
  }
  const value = parseValue(page, at, endOfToken(page, at));
  if (value !== undefined) visit(value, labelsStart, labelsEnd);
}

/** Offset of the closing brace, or -1 where the line ends before it. */
function endOfLabels(page: Buffer, from: number): number {
  let quoted = false;
  for (let at = from; at < page.length; at++) {
    const byte = page[at]!;
    if (byte === NEWLINE) return -1;
    if (quoted && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) quoted = !quoted;
    else if (byte === CLOSE && !quoted) return at;
  }
  return -1;
}

/**
 * The value of a label, its escapes undone; undefined where the label is not there or its syntax is wrong.
 * `start` and `end`: the labels of one sample.
 */
export function labelValue(page: Buffer, start: number, end: number, label: string): string | undefined {
  let at = start;
  while (at < end) {
    const equals = page.indexOf('=', at);
    if (equals < 0 || equals >= end) return undefined;
    const name = page.toString('latin1', at, equals).trim();
    const open = skipBlanks(page, equals + 1);
    if (page[open] !== QUOTE) return undefined;
    const close = endOfQuoted(page, open + 1, end);
    if (close < 0) return undefined;
    if (name === label) return unescaped(page.toString('utf8', open + 1, close));
    at = skipBlanks(page, close + 1);
    if (page[at] === 0x2c) at = skipBlanks(page, at + 1);
  }
  return undefined;
}

function endOfQuoted(page: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (page[at] === BACKSLASH) at += 1;
    else if (page[at] === QUOTE) return at;
  }
  return -1;
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\([\\"n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function skipBlanks(page: Buffer, from: number): number {
  let at = from;
  while (page[at] === 0x20 || page[at] === 0x09) at += 1;
  return at;
}

function endOfToken(page: Buffer, from: number): number {
  let at = from;
  // Beyond the end a byte is undefined, and the comparison false: control characters and blanks end a token.
  while (page[at]! > 0x20) at += 1;
  return at;
}

/** Longer tokens are no numbers that an engine writes. */
const MAX_NUMBER_LENGTH = 40;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;

/** A number of the text format: decimal, `NaN` or an infinity. Undefined: no number. */
function parseValue(page: Buffer, start: number, end: number): number | undefined {
  if (end === start || end - start > MAX_NUMBER_LENGTH) return undefined;
  const token = page.toString('latin1', start, end);
  if (DECIMAL.test(token)) return Number(token);
  if (/^nan$/i.test(token)) return Number.NaN;
  const infinite = INFINITE.exec(token);
  if (infinite === null) return undefined;
  return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
