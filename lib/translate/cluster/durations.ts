/** A Gateway API duration of whole milliseconds: `2s`, `500ms`, `0s`. */
export function gatewayDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
