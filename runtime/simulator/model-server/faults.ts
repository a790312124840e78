/** Faults of a simulated server, as `POST /simulator/faults` takes them; what is absent is off. */
export interface Faults {
  /** Nothing is answered and no token is generated until it is lifted, as by SIGSTOP or a hung GPU. */
  readonly freeze?: boolean;
  /** Each answer's socket is destroyed once this many tokens were generated and one more is due. */
  readonly dieMidStream?: number;
  /** `/metrics` answers 503. */
  readonly stopMetrics?: boolean;
  /** `/metrics` tells of an engine without work, or of one that is full, whatever it does. */
  readonly lyingMetrics?: 'idle' | 'full';
  /** Connections are reset once an inference request has come, as by a server that crashes on it. */
  readonly reset?: boolean;
  /** Inference paths answer this status, 400..599. */
  readonly error?: number;
  /** From now on for this many seconds of wall time everything but `/simulator` answers 503, as while weights load. */
  readonly startDelaySeconds?: number;
  /** Engine steps take this many times longer, 1 or more, as on a throttled GPU. */
  readonly slowdown?: number;
}

interface Rule {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const FLAG: Rule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };

const RULES: Readonly<Record<keyof Faults, Rule>> = {
  freeze: FLAG,
  stopMetrics: FLAG,
  lyingMetrics: { expected: 'idle or full', accepts: (value) => value === 'idle' || value === 'full' },
  reset: FLAG,
  dieMidStream: {
    expected: 'a whole number from 0',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 0,
  },
  error: {
    expected: 'a status from 400 to 599',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
  },
  startDelaySeconds: { expected: 'a number from 0 to 86400', accepts: (value) => isWithin(value, 0, 86_400) },
  slowdown: { expected: 'a number from 1 to 1000', accepts: (value) => isWithin(value, 1, 1000) },
};

/** Every fault with what it takes, for a command's help. */
export const FAULTS_HELP = Object.entries(RULES)
  .map(([name, { expected }]) => `${name} (${expected})`)
  .join(', ');

function isWithin(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high;
}

/** Checks a faults object; throws one error that names every wrong field. */
export function parseFaults(value: unknown): Faults {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('faults: expected an object, for example {"freeze": true}');
  }
  const wrong: string[] = [];
  for (const [name, setting] of Object.entries(value)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof Faults] : undefined;
    if (rule === undefined) wrong.push(`${name}: unknown fault (known: ${Object.keys(RULES).join(', ')})`);
    else if (!rule.accepts(setting)) wrong.push(`${name}: expected ${rule.expected}, got ${JSON.stringify(setting)}`);
  }
  if (wrong.length > 0) throw new Error(`faults: ${wrong.join('; ')}`);
  return { ...value };
}
