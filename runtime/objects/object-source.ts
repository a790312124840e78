/**
 * Where the objects (InferenceGatewayConfig, Pod, ConfigMap, InferenceModelRewrite) come from: a directory of YAML
 * that is watched, the supervising process, or the Kubernetes API. Readers see whole sets only, never half an edit.
 */
export interface ObjectSource {
  /** Calls back with the first set, and again with each set that differs; stops when `signal` aborts. */
  watch(onChange: (objects: ObjectSet) => void, onFault: (fault: Error) => void, signal: AbortSignal): Promise<void>;
}

/** Plain Kubernetes objects, as parsed. Validated by `lib/api`, compiled by `lib/translate`. */
export interface ObjectSet {
  readonly objects: readonly SourcedObject[];
}

export interface SourcedObject {
  /** Where it was read: a file path, or a kind of address such as `kubernetes`. */
  readonly source: string;
  readonly value: unknown;
  /** Line (from 1) of a path inside `value`, where the source has lines. */
  lineOf?(path: ReadonlyArray<string | number>): number | undefined;
}
