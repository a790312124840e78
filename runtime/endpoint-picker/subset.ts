/**
 * Tells whether a request may go to an `ip:port`. `subset`: those to which it may, each `ip:port`, or `ip` for any port
 * there; undefined: to all.
 */
export function subsetTest(subset: readonly string[] | undefined): (address: string) => boolean {
  if (subset === undefined) return () => true;
  const allowed = new Set(subset);
  return (address) => allowed.has(address) || allowed.has(hostOf(address));
}

/** The address without its port; without brackets where it is IPv6. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
