/** Where pickers listen: a host (each of its addresses is one) and a port, or the path of a Unix socket. */
export type PickerAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Of `--picker`: which schedulers are picked for there; undefined: all that are not named by another. */
export interface PickerTarget {
  readonly scheduler: string | undefined;
  readonly address: PickerAddress;
}

/** As it is written on the command line. */
export function addressText(address: PickerAddress): string {
  if ('path' in address) return `unix:${address.path}`;
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}
