/** Where a container is in its life, as its status says it. */
export type Phase =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: Date }
  | Terminated;

export interface Terminated {
  readonly kind: 'terminated';
  readonly exitCode: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly message?: string;
}

export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly phase: Phase;
  readonly last: Terminated | undefined;
  readonly restarts: number;
  /** It runs, and its startup probe, if any, has succeeded. */
  readonly started: boolean;
  readonly ready: boolean;
  /** It will not run again. */
  readonly finished: boolean;
}
