import { randomBytes } from 'node:crypto';

/** 16 random bytes in hexadecimal; never zero nor negative. */
export function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
