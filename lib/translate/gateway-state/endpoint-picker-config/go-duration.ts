const DURATION = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 };

/** Milliseconds of a Go duration, rounded up, such as `1m30s` or `1.5s`; undefined where it is none, or negative. */
export function goDurationToMilliseconds(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > 64 || !DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return Math.ceil(total);
}
