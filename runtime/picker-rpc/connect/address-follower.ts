import { isIP } from 'node:net';
import { addressText, type PickerAddress } from './picker-address';
import type { Resolve } from './resolve-host';

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
  /** Looks soon: who was there may be elsewhere. */
  hurry(): void;
  close(): void;
}

export interface FollowAddressOptions {
  readonly resolve: Resolve;
  /** Asked after each look: nobody is reached by what was found, so look again soon. */
  readonly isUrgent: () => boolean;
  /** Told the places whenever they have been found. */
  onPlaces(places: readonly Place[]): void;
  onFault(reason: string): void;
}

const RESOLVE_EVERY_MS = 5_000;

/** While it is urgent, doubling from the one to the other. Milliseconds. */
const SOON_MS = 250;
const SOON_MAX_MS = 2_000;

/** One name has more replicas than anybody runs. */
const MAX_ADDRESSES = 256;

/**
 * Looks the host of `address` up now and every 5 s, sooner while that is urgent, and tells the places that it stands for.
 * While it cannot be looked up the last answer holds; each reason is told once, until it was found again.
 */
export function followAddress(address: PickerAddress, options: FollowAddressOptions): AddressFollower {
  if ('path' in address || isIP(address.host) !== 0) {
    const serverName = 'path' in address ? undefined : address.host;
    options.onPlaces([{ key: addressText(address), address, serverName }]);
    return { first: Promise.resolve(), hurry() {}, close() {} };
  }
  const { host, port } = address;
  // A dot at the end keeps the resolver from trying other domains; certificates do not have it.
  const serverName = host.replace(/\.$/, '');
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let hurried = false;
  let urgentLooks = 0;
  let told: string | undefined;

  async function look(): Promise<void> {
    timer = undefined;
    hurried = false;
    try {
      const hosts = await options.resolve(host);
      if (closed) return;
      told = undefined;
      options.onPlaces(
        [...new Set(hosts)].slice(0, MAX_ADDRESSES).map((ip) => {
          const place = { host: ip, port };
          return { key: addressText(place), address: place, serverName };
        }),
      );
    } catch (error) {
      const { message } = error as Error;
      if (!closed && message !== told) options.onFault(message);
      told = message;
    }
    if (!closed) timer = setTimeout(() => void look(), delay());
  }

  function delay(): number {
    if (!options.isUrgent()) {
      urgentLooks = 0;
      return RESOLVE_EVERY_MS;
    }
    return Math.min(SOON_MAX_MS, SOON_MS * 2 ** Math.min(urgentLooks++, 10));
  }

  const first = look();
  return {
    first,
    hurry() {
      if (timer === undefined || hurried) return;
      hurried = true;
      clearTimeout(timer);
      timer = setTimeout(() => void look(), SOON_MS);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
