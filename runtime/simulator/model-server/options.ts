import { type EngineParameters, parameterFaults } from '../engine/parameters';
import { ENGINE_PROFILES, type EngineProfileName } from '../engine/profiles';
import { type Faults, parseFaults } from './faults';
import { DIALECT_NAMES, type DialectName } from './metrics/metrics-page';
import { MAX_PADDING_BYTES } from './metrics/padding';

/** How to run a simulated model server. Every field has a default. */
export interface ModelServerOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Default 8000; 0 takes a free one. */
  readonly port?: number;
  /** Name of the base model; default the profile's. */
  readonly model?: string;
  /** LoRA adapters that can be asked for by name; default none. */
  readonly adapters?: readonly string[];
  /** Model and hardware to imitate; default `llama-8b-h100`. */
  readonly profile?: EngineProfileName;
  /** Adapters on the GPU at once; default the profile's, 0 without adapters. */
  readonly maxLora?: number;
  /** Engine seconds per wall second, above 0; default 1. */
  readonly speed?: number;
  /** Of the spread of step times; default 1. */
  readonly seed?: number;
  /** Whose metric names `/metrics` uses; default `vllm`. */
  readonly dialect?: DialectName;
  /** Size to which `/metrics` is padded, at most 80,000; a real vLLM page has about 53,000. Default 0: no padding. */
  readonly metricsBytes?: number;
  /** Port of the KV events (vLLM's, over ZMQ); 0 takes a free one. Default none: no events are published. */
  readonly kvEventsPort?: number;
  /** Port where KV events that were missed are sent again; 0 takes a free one. Default none. */
  readonly kvReplayPort?: number;
  /** Faults in force from the start; default none. */
  readonly faults?: Faults;
  /** Replaces single parameters of the profile. */
  readonly overrides?: Partial<EngineParameters>;
}

/** Options with every default filled in and the engine's parameters resolved. */
export interface ResolvedModelServerOptions
  extends Required<Omit<ModelServerOptions, 'profile' | 'overrides' | 'kvEventsPort' | 'kvReplayPort'>>,
    Pick<ModelServerOptions, 'kvEventsPort' | 'kvReplayPort'> {
  readonly parameters: EngineParameters;
}

/** Fills in the defaults; throws one error that names every field out of bounds. */
export function resolveModelServerOptions(options: ModelServerOptions): ResolvedModelServerOptions {
  const profile = ENGINE_PROFILES[options.profile ?? 'llama-8b-h100'];
  const model = options.model ?? profile.model;
  const adapters = options.adapters ?? [];
  const maxLora = options.maxLora ?? (adapters.length > 0 ? profile.parameters.maxLora : 0);
  const parameters: EngineParameters = { ...profile.parameters, ...options.overrides, maxLora };
  const resolved = {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 8000,
    model,
    adapters,
    maxLora,
    speed: options.speed ?? 1,
    seed: options.seed ?? 1,
    dialect: options.dialect ?? 'vllm',
    metricsBytes: options.metricsBytes ?? 0,
    faults: parseFaults(options.faults ?? {}),
    parameters,
    ...(options.kvEventsPort !== undefined && { kvEventsPort: options.kvEventsPort }),
    ...(options.kvReplayPort !== undefined && { kvReplayPort: options.kvReplayPort }),
  };
  const faults = parameterFaults(parameters);
  const check = (holds: boolean, message: string) => {
    if (!holds) faults.push(message);
  };
  check(isWholeNumber(resolved.port, 0, 65_535), `port: expected 0 to 65535, got ${resolved.port}`);
  for (const field of ['kvEventsPort', 'kvReplayPort'] as const) {
    const port = options[field];
    check(port === undefined || isWholeNumber(port, 0, 65_535), `${field}: expected 0 to 65535, got ${port}`);
  }
  check(
    options.kvReplayPort === undefined || options.kvEventsPort !== undefined,
    'kvReplayPort: needs kvEventsPort as well',
  );
  check(
    resolved.speed > 0 && Number.isFinite(resolved.speed),
    `speed: expected a number above 0, got ${resolved.speed}`,
  );
  check(Number.isSafeInteger(resolved.seed), `seed: expected a whole number, got ${resolved.seed}`);
  check(
    isWholeNumber(resolved.metricsBytes, 0, MAX_PADDING_BYTES),
    `metricsBytes: expected 0 to ${MAX_PADDING_BYTES}, got ${resolved.metricsBytes}`,
  );
  check(model.length > 0, 'model: expected a name');
  const names = [model, ...adapters];
  for (const name of new Set(names.filter((candidate, index) => names.indexOf(candidate) !== index))) {
    faults.push(`adapters: ${name} is named twice`);
  }
  check(adapters.length === 0 || maxLora > 0, 'maxLora: must be 1 or more when there are adapters');
  if (faults.length > 0) throw new Error(faults.join('; '));
  return resolved;
}

function isWholeNumber(value: number, low: number, high: number): boolean {
  return Number.isInteger(value) && value >= low && value <= high;
}

/** Reads one field from a command line's text. */
const READERS: Readonly<Record<keyof Omit<ModelServerOptions, 'overrides'>, (value: unknown) => unknown>> = {
  host: readText,
  port: readNumber,
  model: readText,
  adapters: (value) => (Array.isArray(value) ? value : [value]).map(readText),
  profile: (value) => readOneOf(value, Object.keys(ENGINE_PROFILES)),
  maxLora: readNumber,
  speed: readNumber,
  seed: readNumber,
  dialect: (value) => readOneOf(value, DIALECT_NAMES),
  metricsBytes: readNumber,
  kvEventsPort: readNumber,
  kvReplayPort: readNumber,
  faults: (value) => parseFaults(typeof value === 'string' ? JSON.parse(value) : value),
};

/**
 * Options from a command line: values are strings, numbers, lists of strings (`adapters`) or, for `faults`, JSON text;
 * absent or undefined ones take their default. Throws one error that names every option that is unknown or wrong.
 */
export function parseModelServerOptions(values: Readonly<Record<string, unknown>>): ModelServerOptions {
  const parsed: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(READERS, name)) {
      wrong.push(`${name}: unknown option (known: ${Object.keys(READERS).join(', ')})`);
      continue;
    }
    try {
      parsed[name] = READERS[name as keyof typeof READERS](value);
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  return parsed as ModelServerOptions;
}

function readText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error('expected a text');
  return value;
}

function readNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) throw new Error(`expected a number, got ${String(value)}`);
  return number;
}

function readOneOf(value: unknown, known: readonly string[]): string {
  if (typeof value === 'string' && known.includes(value)) return value;
  throw new Error(`expected one of ${known.join(', ')}, got ${String(value)}`);
}
