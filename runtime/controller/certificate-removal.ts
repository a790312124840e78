import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import { abortScope } from '../kubernetes/abort-scope';
import type { Clock } from '../kubernetes/clock';
import type { GatewayCertificates } from './gateway-certificates';
import type { Owner } from './owner';
import type { StoreWork } from './store-work';

export interface CertificateRemovalOptions {
  readonly certificates: Pick<GatewayCertificates, 'deleteImported'>;
  readonly storeWork: StoreWork;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** A gateway that is being removed. */
export interface Removed {
  readonly owner: Owner;
  /** What tells it from another of the same name. */
  readonly id: string;
  /** Absent: its config is gone. */
  readonly claimant?: OwningConfig;
  /** Whether it may have an imported certificate, as far as the cluster says. */
  readonly mayHave: (signal: AbortSignal) => Promise<boolean>;
  /** Whether it is still to be removed, by the API server itself: the store may have taken minutes. */
  readonly isStillGoing: (signal: AbortSignal) => Promise<boolean>;
  /** Name of that certificate; the store may be asked for it. */
  readonly arn: (signal: AbortSignal) => Promise<string | undefined>;
}

/** Takes imported certificates away beside the turns of the gateways: the store may take minutes to answer. */
export interface CertificateRemoval {
  /** To be repeated until it resolves. Rejects while there may be a certificate, with a message that says what to do. */
  remove(removed: Removed, signal: AbortSignal): Promise<void>;
  /** Of the gateway nothing is left. */
  forget(owner: Owner): void;
}

interface Outcome {
  readonly id: string;
  readonly error?: Error;
}

/** Mostly the answer is there so soon. Milliseconds. */
const ANSWER_MS = 1_000;

export function createCertificateRemoval(options: CertificateRemovalOptions): CertificateRemoval {
  const { certificates, storeWork, clock } = options;
  const outcomes = new Map<Owner, Outcome>();
  const outcomeOf = ({ owner, id }: Removed) => {
    const last = outcomes.get(owner);
    return last?.id === id ? last : undefined;
  };

  async function attempt({ owner, id, claimant, arn, isStillGoing }: Removed, signal: AbortSignal): Promise<void> {
    try {
      const name = await arn(signal);
      if (name !== undefined) {
        if (!(await isStillGoing(signal))) throw new Error('the gateway has changed since it was to be removed');
        await deleteNamed(name, claimant, signal);
      }
      outcomes.set(owner, { id });
    } catch (error) {
      signal.throwIfAborted();
      outcomes.set(owner, { id, error: error as Error });
    }
  }

  async function deleteNamed(arn: string, claimant: OwningConfig | undefined, signal: AbortSignal): Promise<void> {
    try {
      await certificates.deleteImported(arn, claimant, signal);
    } catch (error) {
      const why = (error as Error).message;
      throw new Error(`the imported certificate ${arn} cannot be deleted yet: ${why}`, { cause: error });
    }
  }

  /** Waits a moment for the end of it. */
  async function start(removed: Removed, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const isStarted = storeWork.start(removed.owner, (ending) => attempt(removed, ending).finally(ended.resolve));
    if (!isStarted) return;
    const scope = abortScope(signal);
    await Promise.race([ended.promise, clock.sleep(ANSWER_MS, scope.signal)]);
    scope.release();
    scope.abort();
    signal.throwIfAborted();
  }

  return {
    async remove(removed, signal) {
      const last = outcomeOf(removed);
      const isDone = last !== undefined && last.error === undefined;
      // An import that is under way may yet bring one.
      if (isDone || (!storeWork.isBusy(removed.owner) && !(await removed.mayHave(signal)))) return;
      await start(removed, signal);
      const outcome = outcomeOf(removed);
      if (outcome === undefined)
        throw new Error('waits until ACM has answered what becomes of the imported certificate');
      if (outcome.error !== undefined) throw outcome.error;
    },
    forget: (owner) => void outcomes.delete(owner),
  };
}
