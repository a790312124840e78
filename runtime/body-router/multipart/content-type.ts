/** A content type's media type, in lower case, without parameters; empty when there is none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/**
 * The value of a parameter of a header such as Content-Type or Content-Disposition: a token, or a quoted string whose
 * escapes are undone. Undefined when it is not there.
 */
export function parameter(header: string, name: string): string | undefined {
  const pattern = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;
  pattern.lastIndex = Math.max(header.indexOf(';'), 0);
  for (let match = pattern.exec(header); match !== null; match = pattern.exec(header)) {
    if (match[1]!.toLowerCase() === name) return match[2]?.replace(/\\(.)/g, '$1') ?? match[3];
    const gap = /\s*/y;
    gap.lastIndex = pattern.lastIndex;
    gap.exec(header);
    pattern.lastIndex = gap.lastIndex;
  }
  return undefined;
}
