import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { IssuingOptions } from './advance-authority';
import { secretData, secretText } from './authority-secret';
import { type AuthorityState, issuerOf, trustedAuthorities } from './authority-state';
import { certificateFacts, certificatesIn, isIssuedBy } from './certificate-facts';
import { type Certificate, issueLeaf } from './issue';
import { newKeyPair } from './key-pair';
import { CLOCK_SKEW_MS } from './lifetimes';
import { planRenewal, type Renewal } from './plan-renewal';
import type { WantedLeaf } from './trust-domain';

/** What the Secret of a leaf certificate holds. PEM. */
export interface HeldLeaf {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly trusted: string | undefined;
}

export function heldLeaf(secret: KubernetesObject | undefined): HeldLeaf {
  return {
    certificate: secretText(secret, 'tls.crt'),
    key: secretText(secret, 'tls.key'),
    trusted: secretText(secret, 'ca.crt'),
  };
}

export function isSignedBy({ certificate }: HeldLeaf, { signer }: AuthorityState): boolean {
  const [leaf, authority] = [certificateFacts(certificate), certificateFacts(signer.certificate)];
  return leaf !== undefined && authority !== undefined && isIssuedBy(leaf, authority);
}

/** Whether the certificate must be issued anew, given who can issue. */
export function leafRenewal(now: number, held: HeldLeaf, wanted: WantedLeaf, state: AuthorityState): Renewal {
  const by = (authority: string) => planRenewal(now, held, { ...wanted, authority });
  if (state.signer.key !== undefined) return by(state.signer.certificate);
  // Who could issue is not trusted by all yet: what anybody trusted has issued is used to its end.
  const plans = certificatesIn(trustedAuthorities(state)).map(by);
  const end = certificateFacts(held.certificate)?.notAfter ?? now;
  const usable = plans.find((plan) => !plan.renew || (plan.reason === 'due' && now < end));
  if (usable === undefined) return plans[0] ?? { renew: true, reason: 'other-authority' };
  return usable.renew ? { renew: false, dueAt: end } : usable;
}

/** The Secret of a leaf certificate that is issued now. Rejects where nobody can issue. */
export async function issuedLeaf(
  wanted: WantedLeaf,
  state: AuthorityState,
  lifetimeMs: number,
  { now, serial }: IssuingOptions,
): Promise<KubernetesObject> {
  const issuer = issuerOf(state);
  if (issuer === undefined) throw new Error(`the authority of ${wanted.secret.metadata.name} has no key`);
  const end = certificateFacts(issuer.certificate)?.notAfter ?? Number.POSITIVE_INFINITY;
  const request = {
    ...wanted,
    serial: serial(),
    notBefore: new Date(now - CLOCK_SKEW_MS),
    notAfter: new Date(Math.min(now + lifetimeMs, end)),
  };
  return leafSecret(wanted, await issueLeaf(request, await newKeyPair(), issuer), state);
}

/** The Secret with a certificate that goes on being used. */
export function leafSecret(
  wanted: WantedLeaf,
  { certificate, key }: Certificate,
  state: AuthorityState,
): KubernetesObject {
  const data = secretData({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': trustedAuthorities(state) });
  return { ...wanted.secret, data };
}
