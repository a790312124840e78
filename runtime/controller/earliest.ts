/** Of several times, those that are none left out. */
export function earliest(...times: ReadonlyArray<number | undefined>): number | undefined {
  const due = times.filter((time) => time !== undefined);
  return due.length === 0 ? undefined : Math.min(...due);
}
