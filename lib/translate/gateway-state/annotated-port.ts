/** The port that the annotation names; undefined where there is none, or, with a line added to `faults`, none that is valid. */
export function annotatedPort(
  annotations: Readonly<Record<string, string>>,
  annotation: string,
  faults: string[],
): number | undefined {
  const value = annotations[annotation];
  if (value === undefined) return undefined;
  const number = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : Number.NaN;
  if (number <= 65_535) return number;
  faults.push(`annotation ${annotation}: expected a port, "1" to "65535": it is passed over`);
  return undefined;
}
