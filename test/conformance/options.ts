import { parseArgs } from 'node:util';
import { version } from '../../package.json';

const SUITES = ['inference-extension', 'gateway-api'] as const;
/** Ours, steered by the suite; or the Gateway API Inference Extension's own. */
const PICKERS = ['stand-in', 'epp'] as const;

export interface ConformanceOptions {
  readonly suite: (typeof SUITES)[number];
  readonly picker: (typeof PICKERS)[number];
  /** Of one test by its short name. Default: all of the profile, and a report. */
  readonly runTest: string | undefined;
  /** Of the report. */
  readonly implementation: {
    readonly organization: string;
    readonly project: string;
    readonly url: string;
    readonly version: string;
    readonly contact: string;
  };
}

/** How the product is run, in the words of a report. */
export const modeOf = ({ picker }: ConformanceOptions) => (picker === 'epp' ? 'gie-epp' : 'default');

/** Throws where a flag is unknown, or a value none of those that it takes. */
export function conformanceOptions(args: readonly string[]): ConformanceOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', default: 'inference-extension' },
      picker: { type: 'string', default: 'stand-in' },
      'run-test': { type: 'string' },
      organization: { type: 'string', default: 'hyperpod-inference-gateway' },
      project: { type: 'string', default: 'hyperpod-inference-gateway' },
      url: { type: 'string', default: 'https://example.com/hyperpod-inference-gateway' },
      contact: { type: 'string', default: 'https://example.com/hyperpod-inference-gateway/issues' },
      version: { type: 'string', default: `v${version}` },
    },
  });
  const { organization, project, url, contact } = values;
  const picker = oneOf('--picker', PICKERS, values.picker);
  const suite = oneOf('--suite', SUITES, values.suite);
  if (suite === 'gateway-api' && picker !== 'stand-in') throw new Error('--picker is of --suite inference-extension');
  return {
    suite,
    picker,
    runTest: values['run-test'],
    implementation: { organization, project, url, contact, version: values.version },
  };
}

function oneOf<T extends string>(flag: string, known: readonly T[], value: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new Error(`${flag}: "${value}" is none of ${known.join(', ')}`);
  return found;
}
