/** Negative where `a` is older than `b`. Undefined where one is no release, such as a build of a branch. */
export function compareReleases(a: string, b: string): number | undefined {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return undefined;
  for (const part of [0, 1, 2] as const) {
    if (left.numbers[part] !== right.numbers[part]) return left.numbers[part] - right.numbers[part];
  }
  // A release is newer than its candidates.
  if (left.candidate === undefined || right.candidate === undefined) {
    return Number(left.candidate === undefined) - Number(right.candidate === undefined);
  }
  return left.candidate.localeCompare(right.candidate, 'en', { numeric: true });
}

interface Release {
  readonly numbers: readonly [number, number, number];
  readonly candidate: string | undefined;
}

function parse(text: string): Release | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-((?:alpha|beta|rc)[.\d]*))?$/.exec(text);
  if (match === null) return undefined;
  return { numbers: [Number(match[1]), Number(match[2]), Number(match[3])], candidate: match[4] };
}
