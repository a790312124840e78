import { type NameTable, nameTable } from './name-table';

/**
 * Reading single samples out of a page in the Prometheus text format, or OpenMetrics, without making anything of the
 * rest of it. All functions work on the bytes; none throws, whatever the bytes are.
 *
 * A sample is one line: name, optional labels in braces, value, optional timestamp and exemplar. Lines start with the
 * name, as every exporter writes them.
 */

/** One sample of a page. */
export interface Sample {
  /** Finite, and not below zero. */
  readonly value: number;
  /** Offsets in the page of the part of the line between the braces, empty where there is none. */
  readonly labelsStart: number;
  readonly labelsEnd: number;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const EQUALS = 0x3d;
const HASH = 0x23;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const TYPE = '# TYPE ';
const HISTOGRAM = ' histogram';

/** What is wanted of a page. */
export interface Wanted {
  readonly names: NameTable;
  /** Families of the names: a histogram that is not among them is skipped from its TYPE line to the next comment. */
  readonly families: NameTable;
}

/** The wanted names, and the families they belong to: a histogram's without the suffix. */
export function wanted(names: Iterable<string>): Wanted {
  const all = [...names];
  return { names: nameTable(all), families: nameTable(all.map((name) => name.replace(/_(sum|count)$/, ''))) };
}

/**
 * The well-formed samples of the wanted names, by the number of the name, in the order of the page. Values that are not
 * finite are left out, one below zero is zero.
 */
export function samplesOf(page: Buffer, { names, families }: Wanted): Sample[][] {
  const samples: Sample[][] = names.names.map(() => []);
  // Strings are faster to search, bytes faster to look at.
  const text = page.toString('latin1');
  let line = 0;
  while (line < text.length) {
    const end = text.indexOf('\n', line);
    if (page[line] === HASH) {
      if (end < 0) break;
      line = isUnwantedHistogram(page, text, line, end, families) ? text.indexOf('\n#', end) + 1 : end + 1;
    } else {
      const name = names.at(page, line);
      if (name >= 0) {
        const sample = readSample(page, line + names.names[name]!.length);
        if (sample !== undefined) samples[name]!.push(sample);
      }
      line = end + 1;
    }
    if (line === 0) break;
  }
  return samples;
}

/** Most of a page is buckets of histograms. */
function isUnwantedHistogram(page: Buffer, text: string, line: number, end: number, families: NameTable): boolean {
  if (!text.startsWith(HISTOGRAM, end - HISTOGRAM.length) || !text.startsWith(TYPE, line)) return false;
  return families.at(page, line + TYPE.length) < 0;
}

function readSample(page: Buffer, afterName: number): Sample | undefined {
  let at = afterName;
  let labelsStart = at;
  let labelsEnd = at;
  // Between the name and the braces, as after them, blanks are allowed.
  at = skipBlanks(page, at);
  if (page[at] === OPEN) {
    labelsStart = at + 1;
    labelsEnd = endOfLabels(page, labelsStart);
    if (labelsEnd < 0) return undefined;
    at = skipBlanks(page, labelsEnd + 1);
  }
  const value = parseValue(page, at, endOfToken(page, at));
  return Number.isFinite(value) ? { value: Math.max(0, value), labelsStart, labelsEnd } : undefined;
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
    const equals = endOfName(page, at, end);
    if (equals < 0) return undefined;
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

/** Offset of the equals sign, or -1. Not searched for beyond the labels: that would be the whole page for each series. */
function endOfName(page: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) if (page[at] === EQUALS) return at;
  return -1;
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

/** A decimal number; NaN for all else, the format's `NaN` and infinities included. */
function parseValue(page: Buffer, start: number, end: number): number {
  if (end === start || end - start > MAX_NUMBER_LENGTH) return Number.NaN;
  const token = page.toString('latin1', start, end);
  return DECIMAL.test(token) ? Number(token) : Number.NaN;
}
