import { durationToMilliseconds } from '../../schema/duration';

/** Of a duration that may be anything; undefined where it is none. */
export function milliseconds(value: unknown): number | undefined {
  return typeof value === 'string' ? durationToMilliseconds(value) : undefined;
}
