/** Why bytes are not the JSON that is asked for. A value, never thrown. */
export interface JsonFault {
  readonly kind: 'syntax' | 'utf8' | 'depth' | 'repetition';
  /** Of the first byte that is at fault, counted from the start of the body. */
  readonly offset: number;
  /** A clause without a full stop. It holds no more of the input than one printable ASCII character. */
  readonly message: string;
}
