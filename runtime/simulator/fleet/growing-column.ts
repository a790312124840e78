/** Numbers in a typed array that grows as they come. */
export interface GrowingColumn {
  push(value: number): void;
  /** A copy, ascending. */
  sorted(): Float64Array;
}

export function createGrowingColumn(): GrowingColumn {
  let column = new Float64Array(1024);
  let length = 0;
  return {
    push(value) {
      if (length === column.length) {
        const longer = new Float64Array(2 * length);
        longer.set(column);
        column = longer;
      }
      column[length++] = value;
    },
    sorted: () => column.slice(0, length).sort(),
  };
}
