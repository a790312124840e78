import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { propertyAt } from '../../lib/api/validation/loose';
import { conditionIn } from '../../lib/translate/cluster/status/conditions';
import type { Installation } from '../../lib/translate/cluster/types';
import type { Clock } from '../kubernetes/clock';
import { factsOf, looksAgainIn } from './certificate-keeper';
import { recordSecret } from './certificates/client-certificate';
import type { EnsuredCertificates, GatewayCertificates } from './gateway-certificates';
import type { Owner } from './owner';
import type { StoreWork } from './store-work';
import type { Watches } from './watches';
import type { WriteFailure } from './write-failure';

export interface ImportsOptions {
  readonly certificates: Pick<GatewayCertificates, 'importIssued'>;
  readonly watches: Pick<Watches, 'owned'>;
  readonly installation: Installation;
  readonly storeWork: StoreWork;
  readonly clock: Pick<Clock, 'now'>;
  /** The gateway is to be looked at again. Milliseconds from now. */
  readonly again: (owner: Owner, ms: number) => void;
}

interface Imported extends EnsuredCertificates {
  readonly failures: readonly WriteFailure[];
}

/** What is issued is imported beside the turns of the gateways, which are told what came of it last. */
export interface CertificateImports {
  /** Asks anew where that may not hold any more; when the answer is another the gateway has another turn. */
  latest(owner: Owner, config: InferenceGatewayConfig): Imported;
  forget(owner: Owner): void;
}

interface Answer {
  readonly uid: string | undefined;
  /** What it follows from. */
  readonly facts: string;
  readonly imported: Imported;
  /** It holds until then. */
  readonly until: number;
}

/** Milliseconds. */
const BUSY_MS = 5_000;

const NOTHING: Imported = { problems: [], failures: [] };

/** Of faults of the store, or of the way to it. */
const STORE_REASONS: ReadonlySet<string> = new Set(['CertificateNotImported', 'CertificateNotDeleted', 'NoRegion']);

export function createCertificateImports(options: ImportsOptions): CertificateImports {
  const { certificates, watches, installation, storeWork, clock, again } = options;
  const answers = new Map<Owner, Answer>();
  /** The facts by which it was asked last. */
  const asked = new Map<Owner, string>();
  /** Whose question is under way. */
  const asking = new Set<Owner>();

  async function importIssued(config: InferenceGatewayConfig, signal: AbortSignal): Promise<Imported> {
    try {
      return { ...(await certificates.importIssued(config, signal)), failures: [] };
    } catch (error) {
      signal.throwIfAborted();
      return { problems: [], failures: [{ object: recordSecret(config, installation), error: error as Error }] };
    }
  }

  async function ask(owner: Owner, config: InferenceGatewayConfig, facts: string, signal: AbortSignal): Promise<void> {
    const imported = await importIssued(config, signal);
    if (!asked.has(owner)) return;
    const { uid } = config.metadata;
    const isNews = newsIn(imported) !== newsIn(lastOf(owner, uid) ?? NOTHING);
    const hasFailed = imported.failures.length > 0;
    const dueIn = hasFailed ? 0 : looksAgainIn(imported);
    answers.set(owner, { uid, facts, imported, until: clock.now() + dueIn });
    if (isNews || asked.get(owner) !== facts) again(owner, 0);
    // Else whoever has told of the failure comes again by itself.
    else if (!hasFailed) again(owner, dueIn);
  }

  /** Undefined where nothing has been answered about the config. */
  function lastOf(owner: Owner, uid: string | undefined): Imported | undefined {
    const last = answers.get(owner);
    return last?.uid === uid ? last?.imported : undefined;
  }

  return {
    latest(owner, config) {
      const facts = factsOf(owner, config, watches);
      const last = answers.get(owner);
      asked.set(owner, facts);
      if (last?.facts === facts && clock.now() < last.until) {
        return { ...last.imported, dueIn: last.until - clock.now() };
      }
      const isStarted = storeWork.start(owner, (signal) =>
        ask(owner, config, facts, signal).finally(() => asking.delete(owner)),
      );
      if (isStarted) asking.add(owner);
      // What is under way is a removal, after which nobody comes again.
      else if (!asking.has(owner)) again(owner, BUSY_MS);
      const { dueIn: _, ...imported } = lastOf(owner, config.metadata.uid) ?? asToldBefore(config);
      return imported;
    },
    forget(owner) {
      answers.delete(owner);
      asked.delete(owner);
    },
  };
}

/** A fault that lasts does not go and come again with each process that leads. */
function asToldBefore({ status }: InferenceGatewayConfig): Imported {
  const former = conditionIn(propertyAt(status, 'conditions'), 'GatewayProgrammed');
  if (former?.status !== 'False' || former.reason === undefined || !STORE_REASONS.has(former.reason)) return NOTHING;
  const message =
    'the imported certificate was at fault before this controller began to lead, and ACM has not answered it yet';
  return {
    problems: [{ condition: 'GatewayProgrammed', reason: former.reason, message, blocks: false }],
    failures: [],
  };
}

function newsIn({ problems, deletedArn, failures }: Imported): string {
  return JSON.stringify([problems, deletedArn, failures.length > 0]);
}
