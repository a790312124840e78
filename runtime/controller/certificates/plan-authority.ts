import type { AuthorityState } from './authority-state';
import { certificateFacts } from './certificate-facts';
import { renewalTime } from './plan-renewal';

/** What the next moment of an authority's life is. */
export type AuthorityStep =
  /** Nothing until then. Milliseconds since 1970; absent: until what is written has changed. */
  | { readonly step: 'wait'; readonly until?: number }
  /** Everything that is written for holders fits, from now on. */
  | { readonly step: 'settle' }
  /** Something that was written for holders has been changed. */
  | { readonly step: 'unsettle' }
  /** Make a `next`. */
  | { readonly step: 'introduce' }
  /** `next` signs from now on. */
  | { readonly step: 'promote' }
  /** `former` need not be trusted any more. */
  | { readonly step: 'forget' };

/** What is written for the holders. */
export interface Written {
  /** Everywhere those are trusted that the state says. */
  readonly trusted: boolean;
  /** Every certificate is from the signer. */
  readonly signed: boolean;
}

/**
 * The next step. `graceMs`: within this time holders have read what is written for them. A signer that ends earlier is
 * replaced when it ends: what it has signed is worth nothing then.
 */
export function planAuthority(now: number, state: AuthorityState, written: Written, graceMs: number): AuthorityStep {
  if (state.next === undefined && state.signer.key === undefined) return { step: 'introduce' };
  if (state.next === undefined && state.former.length === 0) return mayIntroduce(now, state);
  const fits = written.trusted && (state.next !== undefined || written.signed);
  if (!fits) return state.settledAt === undefined ? { step: 'wait' } : { step: 'unsettle' };
  if (state.settledAt === undefined) return { step: 'settle' };
  const end = certificateFacts(state.signer.certificate)?.notAfter ?? Number.POSITIVE_INFINITY;
  const until = Math.min(state.settledAt + graceMs, state.next === undefined ? Number.POSITIVE_INFINITY : end);
  if (now < until) return { step: 'wait', until };
  return { step: state.next === undefined ? 'forget' : 'promote' };
}

function mayIntroduce(now: number, { signer }: AuthorityState): AuthorityStep {
  const facts = certificateFacts(signer.certificate);
  if (facts === undefined) return { step: 'introduce' };
  const until = renewalTime(facts);
  return now < until ? { step: 'wait', until } : { step: 'introduce' };
}
