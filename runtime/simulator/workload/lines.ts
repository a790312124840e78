/** The lines of a text one by one, without their ends; every pass over them begins anew. */
export function linesOf(text: string): Iterable<string> {
  return { [Symbol.iterator]: () => lines(text) };
}

function* lines(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    start = end + 1;
  }
}
