import { randomBytes } from 'node:crypto';
import {
  type AuthorityRequest,
  type Certificate,
  issueAuthority,
  issueLeaf,
  type LeafRequest,
} from '../../../../../runtime/controller/certificates/issue';
import { newKeyPair } from '../../../../../runtime/controller/certificates/key-pair';

export const NOW = Date.parse('2030-01-01T00:00:00Z');
export const DAY = 86_400_000;

export function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString('hex');
}

/** Of ten years from NOW. */
export async function authority(changes: Partial<AuthorityRequest> = {}): Promise<Certificate> {
  const number = serial();
  const request = {
    commonName: `gw ${number.slice(0, 8)}`,
    serial: number,
    notBefore: new Date(NOW),
    notAfter: new Date(NOW + 3650 * DAY),
  };
  return issueAuthority({ ...request, ...changes }, await newKeyPair());
}

/** Of 90 days from NOW, for `router.system.svc`, both to serve and to connect. */
export async function leaf(by: Certificate, changes: Partial<LeafRequest> = {}): Promise<Certificate> {
  const request: LeafRequest = {
    commonName: 'router',
    dnsNames: ['router.system.svc'],
    usages: ['server', 'client'],
    serial: serial(),
    notBefore: new Date(NOW),
    notAfter: new Date(NOW + 90 * DAY),
  };
  return issueLeaf({ ...request, ...changes }, await newKeyPair(), by);
}
