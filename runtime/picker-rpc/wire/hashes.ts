import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import { ProtocolFault } from './protocol-fault';

const HASH_BYTES = 8;

/** Prefix hashes side by side, 8 bytes each: IEEE doubles in the machine's order, which is little endian wherever Node runs. */
export function packHashes(hashes: readonly BlockHash[]): Uint8Array {
  const packed = Float64Array.from(hashes);
  return new Uint8Array(packed.buffer);
}

/** Throws `ProtocolFault` where they are no integers from 0 to 2^53 - 1, or more than `maxHashes`. */
export function unpackHashes(bytes: Uint8Array, maxHashes: number): BlockHash[] {
  if (bytes.length % HASH_BYTES !== 0 || bytes.length > maxHashes * HASH_BYTES) throw noHashes();
  // A copy, for the bytes need not begin where doubles may.
  const hashes = new Float64Array(new Uint8Array(bytes).buffer);
  for (const hash of hashes) if (!Number.isSafeInteger(hash) || hash < 0) throw noHashes();
  return Array.from(hashes);
}

function noHashes(): ProtocolFault {
  return new ProtocolFault('a message has prefix hashes that are none');
}
