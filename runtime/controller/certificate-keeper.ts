import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import type { Clock } from '../kubernetes/clock';
import type { EnsuredCertificates, GatewayCertificates } from './gateway-certificates';
import type { Owner } from './owner';
import type { Watches } from './watches';

/** Makes and renews certificates when there is a reason to look at them: each look reads every one of them. */
export interface CertificateKeeper {
  /** Rejects as `GatewayCertificates.ensure` does. */
  ensure(owner: Owner, config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
  forget(owner: Owner): void;
}

interface Look {
  /** What the result follows from. */
  readonly facts: string;
  readonly result: EnsuredCertificates;
  /** It holds until then. */
  readonly until: number;
}

/** Those outside of the system namespace are not watched: somebody may have deleted one. Milliseconds. */
const LOOK_MS = 300_000;

/** Somebody may have seen to what is wrong. Milliseconds. */
const PROBLEM_MS = 30_000;

export function createCertificateKeeper(
  certificates: Pick<GatewayCertificates, 'ensure'>,
  watches: Pick<Watches, 'owned'>,
  clock: Pick<Clock, 'now'>,
): CertificateKeeper {
  const looks = new Map<Owner, Look>();
  return {
    async ensure(owner, config, signal) {
      const facts = factsOf(owner, config, watches);
      const last = looks.get(owner);
      if (last?.facts === facts && clock.now() < last.until) {
        return { ...last.result, dueIn: last.until - clock.now() };
      }
      const result = await certificates.ensure(config, signal);
      const dueIn = looksAgainIn(result);
      looks.set(owner, { facts, result, until: clock.now() + dueIn });
      return { ...result, dueIn };
    },
    forget: (owner) => void looks.delete(owner),
  };
}

/** What is found at a look at the certificates of a gateway follows from this. */
export function factsOf(
  owner: Owner,
  { metadata: { uid, generation } }: InferenceGatewayConfig,
  watches: Pick<Watches, 'owned'>,
): string {
  const secrets = watches.owned(owner).filter(({ kind }) => kind === 'Secret');
  const versions = secrets.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  return JSON.stringify([uid, generation, versions.sort()]);
}

/** Milliseconds for which what was found holds. */
export function looksAgainIn({ problems, dueIn }: EnsuredCertificates): number {
  const longest = problems.length > 0 ? PROBLEM_MS : LOOK_MS;
  return Math.min(dueIn ?? longest, longest);
}
