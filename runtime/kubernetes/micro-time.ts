/** A time stamp as Kubernetes' MicroTime. `wall`: milliseconds since 1970. */
export function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z');
}
