/** At most `maxBytes` of UTF-8, ending in `…` where something was left out; no character is cut in two. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text).subarray(0, maxBytes - 3);
  return `${new TextDecoder('utf-8').decode(bytes, { stream: true })}…`;
}
