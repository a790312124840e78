import type { Logger } from 'pino';
import { tracingSettings } from './tracing-environment';
import { createTracing, type Tracing } from './tracing-sdk';

export interface TracingOptions {
  /** The process's variables, of which those of OpenTelemetry count. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A model's name, or `other`. */
  readonly modelName: (model: string) => string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Undefined where the environment does not ask for traces: nothing is loaded and nothing wrapped then. */
export async function startTracing({ environment, modelName, log }: TracingOptions): Promise<Tracing | undefined> {
  const settings = tracingSettings(environment);
  if (settings === undefined) return undefined;
  for (const warning of settings.warnings) log.warn(warning);
  return await createTracing(settings, modelName, log);
}
