import type { Certificate } from './issue';

/**
 * The authority of certificates that are used among a few holders, and what its change takes. Holders read what is
 * written for them some time later, each at its own time, and must trust each other meanwhile. So an authority is
 * trusted by all before it signs anything, and until nothing that it has signed is in use:
 * - `next` absent, `former` empty: the usual state.
 * - `next` present: trusted by more and more holders; does not sign yet.
 * - `former` not empty: it signs no more; its certificates are being replaced.
 */
export interface AuthorityState {
  /** Signs what is issued. `key` absent: it is lost, and nothing can be issued by it any more. PEM. */
  readonly signer: { readonly certificate: string; readonly key?: string };
  readonly next?: Certificate;
  /** PEM. */
  readonly former: readonly string[];
  /** Since when everything that is written for holders fits this state. Milliseconds since 1970; absent: it does not. */
  readonly settledAt?: number;
}

/** Whom every holder is to trust, the signer first. PEM. */
export function trustedAuthorities({ signer, next, former }: AuthorityState): string {
  return [signer.certificate, ...(next === undefined ? [] : [next.certificate]), ...former].join('');
}

/** Who issues now. Undefined where nobody can: the key is lost and there is no next yet. */
export function issuerOf({ signer, next }: AuthorityState): Certificate | undefined {
  return signer.key === undefined ? next : { certificate: signer.certificate, key: signer.key };
}
