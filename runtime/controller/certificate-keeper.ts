import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import type { Clock } from '../kubernetes/clock';
import type { EnsuredCertificates, GatewayCertificates } from './gateway-certificates';
import type { Owner } from './owner';
import type { Watches } from './watches';

/** Makes and renews certificates when there is a reason to look at them: each look reads every one of them. */
export interface CertificateKeeper {
  /** Rejects as `GatewayCertificates.ensure` does. */
  ensure(owner: Owner, config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
  /** Rejects as `GatewayCertificates.importIssued` does. */
  importIssued(owner: Owner, config: InferenceGatewayConfig, signal: AbortSignal): Promise<EnsuredCertificates>;
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
  certificates: Pick<GatewayCertificates, 'ensure' | 'importIssued'>,
  watches: Pick<Watches, 'owned'>,
  clock: Pick<Clock, 'now'>,
): CertificateKeeper {
  const looks = { ensure: new Map<Owner, Look>(), importIssued: new Map<Owner, Look>() };

  function factsOf(owner: Owner, { metadata: { uid, generation } }: InferenceGatewayConfig): string {
    const secrets = watches.owned(owner).filter(({ kind }) => kind === 'Secret');
    const versions = secrets.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
    return JSON.stringify([uid, generation, versions.sort()]);
  }

  async function look(
    what: keyof typeof looks,
    owner: Owner,
    config: InferenceGatewayConfig,
    signal: AbortSignal,
  ): Promise<EnsuredCertificates> {
    const facts = factsOf(owner, config);
    const last = looks[what].get(owner);
    if (last?.facts === facts && clock.now() < last.until) {
      return { ...last.result, dueIn: last.until - clock.now() };
    }
    const result = await certificates[what](config, signal);
    const longest = result.problems.length > 0 ? PROBLEM_MS : LOOK_MS;
    const dueIn = Math.min(result.dueIn ?? longest, longest);
    looks[what].set(owner, { facts, result, until: clock.now() + dueIn });
    return { ...result, dueIn };
  }

  return {
    ensure: (owner, config, signal) => look('ensure', owner, config, signal),
    importIssued: (owner, config, signal) => look('importIssued', owner, config, signal),
    forget(owner) {
      looks.ensure.delete(owner);
      looks.importIssued.delete(owner);
    },
  };
}
