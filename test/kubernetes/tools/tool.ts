/** Something that is made once and kept: a binary or a folder. */
export interface Tool {
  readonly name: string;
  /** Changes when it has to be made anew. */
  readonly stamp: string;
  /** Makes it at `target`, which is not there; the caller moves it into place, as a run may be using the old one. */
  make(target: string): Promise<void>;
}
