import { type ConformanceOptions, modeOf } from './options';

/** The name that upstream wants: `VERSION-MODE-PROFILE-report.yaml`. */
export function reportFile(options: ConformanceOptions): string {
  const profile = options.suite === 'gateway-api' ? 'gateway-http' : 'gateway';
  return `${options.implementation.version}-${modeOf(options)}-${profile}-report.yaml`;
}
