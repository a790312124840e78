import type { AuthorityState } from './authority-state';
import { type Certificate, issueAuthority } from './issue';
import { newKeyPair } from './key-pair';
import { CLOCK_SKEW_MS } from './lifetimes';
import type { AuthorityStep } from './plan-authority';
import type { TrustDomain } from './trust-domain';

type NewAuthority = Pick<TrustDomain, 'commonName' | 'lifetimes'>;

export interface IssuingOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** 16 random bytes in hexadecimal, the first from 1 to 0x7f. */
  readonly serial: () => string;
}

/** The state after a step. Only `wait` leaves it as it is. */
export async function advanceAuthority(
  state: AuthorityState,
  { step }: AuthorityStep,
  domain: NewAuthority,
  options: IssuingOptions,
): Promise<AuthorityState> {
  const { settledAt: _, next, ...rest } = state;
  switch (step) {
    case 'wait':
      return state;
    case 'settle':
      return { ...state, settledAt: options.now };
    case 'unsettle':
      return { ...rest, ...(next !== undefined && { next }) };
    case 'introduce':
      return { ...rest, next: await newAuthority(domain, options) };
    case 'promote':
      return next === undefined ? rest : { signer: next, former: [state.signer.certificate, ...state.former] };
    case 'forget':
      return { signer: state.signer, former: [] };
  }
}

/**
 * The state of an authority that is not there. `trusted`: whom holders trust all the same, because it was lost; PEM.
 * They go on trusting them until they trust the new one.
 */
export async function firstAuthority(
  trusted: readonly string[],
  domain: NewAuthority,
  options: IssuingOptions,
): Promise<AuthorityState> {
  const authority = await newAuthority(domain, options);
  const [lost, ...former] = trusted;
  if (lost === undefined) return { signer: authority, former: [] };
  return { signer: { certificate: lost }, next: authority, former };
}

async function newAuthority(
  { commonName, lifetimes }: NewAuthority,
  { now, serial }: IssuingOptions,
): Promise<Certificate> {
  const number = serial();
  const request = {
    // Two authorities of one name could be taken for each other.
    commonName: `${commonName.slice(0, 50)} ${number.slice(0, 8)}`,
    serial: number,
    notBefore: new Date(now - CLOCK_SKEW_MS),
    notAfter: new Date(now + lifetimes.authority),
  };
  return issueAuthority(request, await newKeyPair());
}
