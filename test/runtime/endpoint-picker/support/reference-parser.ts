/** One sample of a page, as the plainest possible reading of the text format gives it. */
export interface ReferenceSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)[ \t]*(?:\{((?:"(?:\\.|[^"\\])*"|[^"}])*)\}[ \t]*|[ \t])[ \t]*([^ \t\r]+)/;
const LABEL = /([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:\\.|[^"\\])*)"/g;

/** Reads the whole page into objects, line by line. Lines that are no samples are left out. */
export function parseWholePage(page: string): ReferenceSample[] {
  const samples: ReferenceSample[] = [];
  for (const line of page.split('\n')) {
    const match = SAMPLE.exec(line);
    if (match === null) continue;
    const value = number(match[3]!);
    if (value === undefined) continue;
    const labels = new Map<string, string>();
    for (const [, name, text] of (match[2] ?? '').matchAll(LABEL)) labels.set(name!, undoEscapes(text!));
    samples.push({ name: match[1]!, labels, value });
  }
  return samples;
}

function undoEscapes(text: string): string {
  return text.replace(/\\([\\"n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function number(text: string): number | undefined {
  if (text === 'NaN') return Number.NaN;
  if (text === '+Inf' || text === 'Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

export function sumOfSamples(samples: readonly ReferenceSample[], name: string): number {
  const values = samples.filter((sample) => sample.name === name && Number.isFinite(sample.value));
  return values.length === 0 ? Number.NaN : values.reduce((sum, { value }) => sum + Math.max(0, value), 0);
}
