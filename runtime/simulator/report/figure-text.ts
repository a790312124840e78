/** Stands for a figure that cannot be computed. */
const NO_FIGURE = '—';

/** Three digits: `87.5 ms`, `4.71 s`, `312 s`. */
export function secondsText(seconds: number | null): string {
  if (seconds === null) return NO_FIGURE;
  return seconds < 1 ? `${threeDigits(seconds * 1000)} ms` : `${threeDigits(seconds)} s`;
}

/** A number above 0 with three digits or as many as it has before the point; `0` as such. */
export function numberText(value: number | null): string {
  return value === null ? NO_FIGURE : threeDigits(value);
}

/** Requests per second with at most three digits after the point and no noughts at the end. */
export function rateText(rate: number): string {
  return String(Number(rate.toFixed(3)));
}

/** `-94.2 ±1.3`, whole from 100 on; without an interval just the value. A change of round nought has no sign. */
export function percentText(percent: number | null, halfWidth: number | null, signed = true): string {
  if (percent === null) return NO_FIGURE;
  const text = oneDecimal(Math.abs(percent));
  const sign = percent < 0 && Number(text) !== 0 ? '-' : signed && Number(text) !== 0 ? '+' : '';
  return halfWidth === null ? `${sign}${text}` : `${sign}${text} ±${oneDecimal(halfWidth)}`;
}

/** Share 0..1 as `36.6 %`. */
export function shareText(share: number | null): string {
  return share === null ? NO_FIGURE : `${oneDecimal(share * 100)} %`;
}

function oneDecimal(value: number): string {
  return value.toFixed(value < 99.95 ? 1 : 0);
}

function threeDigits(value: number): string {
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(3, Math.max(0, 2 - magnitude)));
}
