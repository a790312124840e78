import { type CertificateFacts, certificateFacts, hasKey, isIssuedBy } from './certificate-facts';
import type { LeafUsage } from './issue';

/** A leaf certificate as it is kept; either part may be missing or damaged. PEM. */
export interface PresentLeaf {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

export interface WantedCertificate {
  readonly dnsNames: readonly string[];
  readonly usages: readonly LeafUsage[];
  /** PEM of the authority that it must be from. */
  readonly authority: string;
}

type RenewalReason =
  | 'absent'
  | 'unreadable'
  | 'names-changed'
  | 'usages-changed'
  | 'other-authority'
  | 'authority-ends-earlier'
  | 'due';

export type Renewal =
  | { readonly renew: true; readonly reason: RenewalReason }
  /** Milliseconds since 1970. */
  | { readonly renew: false; readonly dueAt: number };

/** Whether a leaf certificate must be issued anew. It is due when two thirds of its life are over. */
export function planRenewal(now: number, present: PresentLeaf, wanted: WantedCertificate): Renewal {
  if (present.certificate === undefined || present.key === undefined) return { renew: true, reason: 'absent' };
  const leaf = certificateFacts(present.certificate);
  if (leaf === undefined || !hasKey(leaf, present.key)) return { renew: true, reason: 'unreadable' };
  const reason = mismatch(leaf, wanted);
  if (reason !== undefined) return { renew: true, reason };
  const dueAt = renewalTime(leaf);
  return now >= dueAt ? { renew: true, reason: 'due' } : { renew: false, dueAt };
}

/** When two thirds of the life of a certificate are over. Milliseconds since 1970. */
export function renewalTime({ notBefore, notAfter }: Pick<CertificateFacts, 'notBefore' | 'notAfter'>): number {
  return notBefore + ((notAfter - notBefore) * 2) / 3;
}

function mismatch(leaf: CertificateFacts, wanted: WantedCertificate): RenewalReason | undefined {
  if ([...wanted.dnsNames].sort().join() !== leaf.dnsNames.join()) return 'names-changed';
  const usages = [leaf.isServer && 'server', leaf.isClient && 'client'].filter((usage) => usage !== false);
  if ([...wanted.usages].sort().join() !== usages.sort().join()) return 'usages-changed';
  const authority = certificateFacts(wanted.authority);
  if (authority === undefined || !isIssuedBy(leaf, authority)) return 'other-authority';
  return leaf.notAfter > authority.notAfter ? 'authority-ends-earlier' : undefined;
}
