import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { advanceAuthority, firstAuthority, type IssuingOptions } from './advance-authority';
import { authorityIn, authoritySecret } from './authority-secret';
import { type AuthorityState, trustedAuthorities } from './authority-state';
import { certificateFacts, certificatesIn } from './certificate-facts';
import { type HeldLeaf, isSignedBy } from './leaf-secret';
import { planAuthority } from './plan-authority';
import type { TrustDomain } from './trust-domain';
import { type SecretsApi, writeSecret } from './trust-secrets';

export interface AuthorityOptions extends IssuingOptions {
  /** Within this time holders have read what is written for them. Milliseconds. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

export interface CurrentAuthority {
  readonly state: AuthorityState;
  readonly changed: boolean;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
}

/** The authority after its next step, which is kept before anything follows from it. */
export async function currentAuthority(
  api: SecretsApi,
  domain: TrustDomain,
  present: KubernetesObject | undefined,
  leaves: readonly { readonly held: HeldLeaf }[],
  options: AuthorityOptions,
): Promise<CurrentAuthority> {
  const kept = present === undefined ? undefined : authorityIn(present);
  const keep = (state: AuthorityState) => {
    const { annotations, data } = authoritySecret(state);
    const metadata = { ...domain.authority.metadata, annotations };
    return writeSecret(api, { ...domain.authority, metadata, data }, present, options.signal);
  };
  if (kept === undefined) {
    const trusted = new Set(leaves.flatMap(({ held }) => certificatesIn(held.trusted)));
    const readable = [...trusted].filter((pem) => certificateFacts(pem) !== undefined);
    const state = await firstAuthority(readable, domain, options);
    await keep(state);
    return { state, changed: true, dueAt: options.now };
  }
  const written = {
    trusted: leaves.every(({ held }) => held.trusted === trustedAuthorities(kept)),
    signed: leaves.every(({ held }) => isSignedBy(held, kept)),
  };
  const step = planAuthority(options.now, kept, written, options.graceMs);
  if (step.step === 'wait') return { state: kept, changed: false, dueAt: step.until ?? Number.POSITIVE_INFINITY };
  const state = await advanceAuthority(kept, step, domain, options);
  await keep(state);
  return { state, changed: true, dueAt: options.now };
}
