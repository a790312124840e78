import { parse } from 'yaml';
import { z } from 'zod';
import { ENGINE_PROFILES } from '../engine/profiles';
import type { PodSpec } from '../fleet/fleet-run';
import { scenarioSchema } from '../scenarios/scenario';

/** What `tune --fleet` reads: the fleet of a scenario, in YAML. */
const fleetFileSchema = z.strictObject({ fleet: scenarioSchema.shape.fleet });

/** The pods of a fleet file. Throws an error that names each field that is wrong and what was expected. */
export function parseFleet(text: string): PodSpec[] {
  const result = fleetFileSchema.safeParse(parse(text));
  if (!result.success) throw new Error(z.prettifyError(result.error));
  return result.data.fleet.flatMap(({ profile, pods, overrides }) =>
    Array.from({ length: pods }, () => ({
      parameters: { ...ENGINE_PROFILES[profile].parameters, ...overrides },
      absent: false,
    })),
  );
}
