import type { SourcedValue } from '../../lib/translate/sourced-value';

/**
 * Where the objects (InferenceGatewayConfig, Pod, ConfigMap, InferenceModelRewrite) come from: a directory of YAML
 * that is watched, the supervising process, or the Kubernetes API. Readers see whole sets only, never half an edit.
 */
export interface ObjectSource {
  /** Calls back with the first set, and again with each set that differs; stops when `signal` aborts. */
  watch(onChange: (objects: ObjectSet) => void, onFault: (fault: Error) => void, signal: AbortSignal): Promise<void>;
}

/** How near a source is to what it tells of. */
export interface SourceStatus {
  /** Milliseconds since it last heard something, of what it has not heard of for longest. */
  readonly silentMs: number;
  /** The last set is not from there, but what was kept of an earlier one. */
  readonly isRemembered: boolean;
}

/** Plain Kubernetes objects, as parsed. Validated by `lib/api`, compiled by `lib/translate`. */
export interface ObjectSet {
  readonly objects: readonly SourcedObject[];
}

export type SourcedObject = SourcedValue;
