/**
 * The quantile `share` (0..1) of `sorted` (ascending), interpolated between the two nearest ranks. Null when there are no
 * values.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null;
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}
