import type { Logger } from 'pino';
import type { Installation } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import { type Backoff, createBackoff } from '../kubernetes/backoff';
import type { Clock } from '../kubernetes/clock';
import type { CertificateRemoval, Removed } from './certificate-removal';
import { recordedArn } from './certificates/recorded-arn';
import type { FreshView } from './fresh-view';
import type { Owner } from './owner';
import { removeGateway } from './removal';
import type { Watches } from './watches';

export interface LeftoverOptions {
  readonly client: ApiClient;
  readonly watches: Pick<Watches, 'owned'>;
  readonly view: Pick<FreshView, 'isGone'>;
  readonly certificateRemoval: CertificateRemoval;
  readonly installation: Installation;
  readonly clock: Pick<Clock, 'now'>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/** What was made for a gateway whose config is gone, with no finalizer to remove it first: somebody has taken that off. */
export interface Leftovers {
  /** Resolves with the milliseconds after which it is to be done again, if any. */
  remove(owner: Owner, signal: AbortSignal): Promise<number | undefined>;
  /** There is a config. */
  forget(owner: Owner): void;
}

/** What goes with its config takes a moment. Milliseconds. */
const LEFT_MS = 10_000;

/** Longest wait for what others must see to. Milliseconds. */
const WAITING_MS = 300_000;

interface Left {
  /** When it was seen first that there is no config. */
  readonly since: number;
  /** What it waits for, as it was logged. */
  waitsFor?: string;
  backoff: Backoff;
}

export function createLeftovers(options: LeftoverOptions): Leftovers {
  const { client, watches, view, certificateRemoval, installation, clock, random, log } = options;
  const known = new Map<Owner, Left>();
  const patience = () => createBackoff(LEFT_MS, WAITING_MS, random);

  /** How long it waits doubles while it waits for the same. */
  function waits(owner: Owner, left: Left, message: string): number {
    if (left.waitsFor !== message) {
      left.waitsFor = message;
      left.backoff = patience();
      log.warn({ gateway: owner }, `its InferenceGatewayConfig is gone, what is left is being removed: ${message}`);
    }
    return left.backoff.next();
  }

  async function removeAll(owner: Owner, left: Left, signal: AbortSignal): Promise<number | undefined> {
    const [namespace = '', name = ''] = owner.split('/');
    const arn = (at: AbortSignal) => recordedArn(client, watches.owned(owner), at);
    const mayHave = async (at: AbortSignal) => (await arn(at)) !== undefined;
    const isStillGoing = (at: AbortSignal) => view.isGone(owner, at);
    const removed: Removed = { owner, id: `left at ${left.since}`, mayHave, isStillGoing, arn };
    const deleteCertificate = () => certificateRemoval.remove(removed, signal);
    const removal = await removeGateway(
      { metadata: { name, namespace } },
      { client, installation, deleteCertificate, signal },
    );
    if (removal.state === 'waiting') return waits(owner, left, removal.message);
    if (removal.objects > 0) {
      log.warn(
        { gateway: owner },
        `its InferenceGatewayConfig is gone: ${removal.objects} objects that were left are removed`,
      );
    }
    return undefined;
  }

  return {
    async remove(owner, signal) {
      if (!watches.owned(owner).some(({ metadata }) => metadata.deletionTimestamp === undefined)) {
        known.delete(owner);
        certificateRemoval.forget(owner);
        return undefined;
      }
      const left = known.get(owner) ?? { since: clock.now(), backoff: patience() };
      known.set(owner, left);
      const dueIn = left.since + LEFT_MS - clock.now();
      if (dueIn > 0) return dueIn;
      return (await view.isGone(owner, signal)) ? await removeAll(owner, left, signal) : LEFT_MS;
    },
    forget: (owner) => void known.delete(owner),
  };
}
