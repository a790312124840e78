/** One line of a family. Numeric label values (bucket bounds) are written like values. */
export interface Sample {
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric family of Prometheus' text format. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The families as text. */
export function expose(families: readonly Family[]): string {
  return families.map(exposeFamily).join('');
}

function exposeFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${labelText(text)}"`);
    const set = pairs.length > 0 ? `{${pairs.join(',')}}` : '';
    return `${name}${suffix}${set} ${numberText(value)}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(value: string | number): string {
  if (typeof value === 'number') return numberText(value);
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Numbers as Python's client writes them, which most engines use: `1.0`, `+Inf`, and an exponent from a million on (`1.75e+09`). */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  const plain = Number.isInteger(value) ? `${value}.0` : String(value);
  const point = plain.indexOf('.');
  if (value <= 0 || point <= 6 || plain.includes('e')) return plain;
  const digits = `${plain[0]}.${plain.slice(1, point)}${plain.slice(point + 1)}`.replace(/\.?0+$/, '');
  return `${digits}e+${String(point - 1).padStart(2, '0')}`;
}
