/** An error about a line of a trace, numbered from 1, with what was expected and the beginning of what is there. */
export function traceLineError(line: number, expected: string, text: string): Error {
  return new Error(`line ${line}: expected ${expected}, got ${JSON.stringify(text.slice(0, 100))}`);
}
