export interface LogScale {
  /** Ends of the scale; ticks where both are. */
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** 0 at `low`, 1 at `high`; what lies beyond is cut to them. */
  position(value: number): number;
}

const STEPS = [1, 2, 5] as const;
/** Beyond this many ticks only powers of ten are kept. */
const MOST_TICKS = 8;

/** A logarithmic scale over `values` (positive, at least one) that ends at 1, 2 or 5 times a power of ten. */
export function logScale(values: readonly number[]): LogScale {
  const marks = marksAround(Math.min(...values), Math.max(...values));
  const low = marks[0]!;
  const high = marks.at(-1)!;
  const decades = marks.filter((mark) => isPowerOfTen(mark));
  const ticks = marks.length <= MOST_TICKS ? marks : decades;
  const width = Math.log(high / low);
  return {
    low,
    high,
    ticks,
    position: (value) => (value <= low ? 0 : Math.min(1, Math.log(value / low) / width)),
  };
}

/** All round numbers from the last one not above `least` to the first one above `most`. */
function marksAround(least: number, most: number): number[] {
  const marks: number[] = [];
  // One power lower: the logarithm of a value just below a power of ten is rounded up to it.
  for (let exponent = Math.floor(Math.log10(least)) - 1; ; exponent++) {
    for (const step of STEPS) {
      const mark = Number(`${step}e${exponent}`);
      if (mark <= least) marks.length = 0;
      marks.push(mark);
      if (mark > most) return marks;
    }
  }
}

function isPowerOfTen(value: number): boolean {
  return value.toExponential().startsWith('1e');
}
