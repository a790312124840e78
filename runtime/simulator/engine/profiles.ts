import { z } from 'zod';
import { ENGINE_PARAMETERS, type EngineParameters } from './parameters';
import profiles from './profiles.json';

/** An engine's parameters for one model on one kind of instance, with where they come from and how far to trust them. */
export interface EngineProfile {
  /** The model's public name, a server's default for `model`. */
  readonly model: string;
  readonly hardware: string;
  readonly parameters: EngineParameters;
  readonly source: string;
  /** Relative error to expect of step and prefill times, above 0; repeat a conclusion with parameters moved by this much. */
  readonly uncertainty: number;
}

/** The name of a profile. */
export type EngineProfileName = keyof typeof profiles;

const TEXT = z.string().min(1);
const PROFILE: z.ZodType<EngineProfile> = z.strictObject({
  model: TEXT,
  hardware: TEXT,
  parameters: ENGINE_PARAMETERS,
  source: TEXT,
  uncertainty: z.number().positive(),
});

/** Reads profiles by name from JSON data; throws one error that names every field that is missing, unknown or out of bounds. */
export function readProfiles<Name extends string>(data: Readonly<Record<Name, unknown>>): Record<Name, EngineProfile> {
  const { data: read, error } = z.record(z.string(), PROFILE).safeParse(data);
  if (error === undefined) return read as Record<Name, EngineProfile>;
  const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`engine profiles: ${faults.join('; ')}`);
}

/**
 * The profiles by name. Times per step are for BF16 unless a name says FP8. `maxNumSeqs` and `maxNumBatchedTokens` are
 * the defaults of vLLM's API server by GPU memory. The front end and per-sequence costs fit published TTFT of vLLM;
 * the adapter load time is an assumption (a rank-16 adapter from local disk).
 */
export const ENGINE_PROFILES: Readonly<Record<EngineProfileName, EngineProfile>> = readProfiles(profiles);
