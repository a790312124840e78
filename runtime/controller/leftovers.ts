import type { Logger } from 'pino';
import type { Installation } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { recordedArn } from './certificates/recorded-arn';
import type { FreshView } from './fresh-view';
import type { GatewayCertificates } from './gateway-certificates';
import type { Owner } from './owner';
import { removeGateway } from './removal';
import type { Watches } from './watches';

export interface LeftoverOptions {
  readonly client: ApiClient;
  readonly watches: Pick<Watches, 'owned'>;
  readonly view: Pick<FreshView, 'isGone'>;
  readonly certificates: Pick<GatewayCertificates, 'deleteImported'>;
  readonly installation: Installation;
  readonly clock: Pick<Clock, 'now'>;
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

export function createLeftovers(options: LeftoverOptions): Leftovers {
  const { client, watches, view, certificates, installation, clock, log } = options;
  /** Since when there is no config. */
  const since = new Map<Owner, number>();

  async function removeAll(owner: Owner, signal: AbortSignal): Promise<number | undefined> {
    const [namespace = '', name = ''] = owner.split('/');
    const importedArn = await recordedArn(client, watches.owned(owner), signal);
    const deleteCertificate = (arn: string) => certificates.deleteImported(arn, undefined, signal);
    const given = { client, installation, importedArn, deleteCertificate, signal };
    const removal = await removeGateway({ metadata: { name, namespace } }, given);
    if (removal.state === 'waiting') {
      log.warn(
        { gateway: owner },
        `its InferenceGatewayConfig is gone, what is left is being removed: ${removal.message}`,
      );
      return LEFT_MS;
    }
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
        since.delete(owner);
        return undefined;
      }
      const start = since.get(owner) ?? clock.now();
      since.set(owner, start);
      const dueIn = start + LEFT_MS - clock.now();
      if (dueIn > 0) return dueIn;
      return (await view.isGone(owner, signal)) ? await removeAll(owner, signal) : LEFT_MS;
    },
    forget: (owner) => void since.delete(owner),
  };
}
