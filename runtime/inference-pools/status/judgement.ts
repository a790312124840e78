/** What a condition says, without its time. */
export interface Judgement {
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word, CamelCase. */
  readonly reason: string;
  /** A sentence; it says what to do where something is to be done. */
  readonly message: string;
}
