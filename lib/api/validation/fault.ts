/** Property names and list indices from an object's root. */
export type FieldPath = readonly (string | number)[];

/** One thing that is wrong with an object. */
export interface Fault {
  readonly path: FieldPath;
  /** What is wrong and what to do about it; without the path. */
  readonly message: string;
}

/** `spec.schedulers[0].name`; names that are no identifiers are quoted: `metadata.labels["example.com/app"]`. */
export function formatPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
