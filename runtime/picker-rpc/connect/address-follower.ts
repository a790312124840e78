import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressText, type PickerAddress } from './picker-address';

/** All IP addresses of a host name. Rejects where it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** One place to connect to. */
export interface Place {
  /** What tells it from others. */
  readonly key: string;
  readonly address: PickerAddress;
  /** The name that its certificate must have; undefined: none is asked for, as with Unix sockets. */
  readonly serverName: string | undefined;
}

export interface AddressFollower {
  /** Resolves once every name has been looked up once, with or without success. */
  readonly first: Promise<void>;
  close(): void;
}

const RESOLVE_EVERY_MS = 5_000;

/** One name has more replicas than anybody runs. */
const MAX_ADDRESSES = 256;

export const resolveHost: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Looks the host of `address` up now and every 5 s, and tells the places that it stands for whenever they have been
 * found. While it cannot be looked up, the last answer holds; `onFault` is told the reason.
 */
export function followAddress(
  address: PickerAddress,
  resolve: Resolve,
  onPlaces: (places: readonly Place[]) => void,
  onFault: (reason: string) => void,
): AddressFollower {
  if ('path' in address || isIP(address.host) !== 0) {
    const serverName = 'path' in address ? undefined : address.host;
    onPlaces([{ key: addressText(address), address, serverName }]);
    return { first: Promise.resolve(), close() {} };
  }
  const { host, port } = address;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      const hosts = await resolve(host);
      if (closed) return;
      onPlaces(
        [...new Set(hosts)].slice(0, MAX_ADDRESSES).map((ip) => {
          const place = { host: ip, port };
          return { key: addressText(place), address: place, serverName: host };
        }),
      );
    } catch (error) {
      if (!closed) onFault((error as Error).message);
    }
    if (!closed) timer = setTimeout(() => void look(), RESOLVE_EVERY_MS);
  }

  const first = look();
  return {
    first,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
