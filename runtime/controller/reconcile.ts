import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import type { Problem } from '../../lib/translate/cluster/types';
import { type ApplyConfigOptions, applyConfig, Unfinished } from './apply-config';
import { createCertificateRemoval } from './certificate-removal';
import type { Another, Coexistence } from './coexistence';
import type { GatewayEvents } from './events';
import { hasFinalizer } from './finalizer';
import type { GatewayCertificates } from './gateway-certificates';
import { createHindrances, notPrepared, notSynced } from './hindrance';
import { createLeftovers } from './leftovers';
import type { ReconcileOutcome } from './metrics';
import type { Owner } from './owner';
import { createConfigRemoval } from './remove-config';
import { runningSchedulers } from './running-schedulers';
import { createStatusReport } from './status-report';
import type { StatusWriter } from './status-writer';
import type { StoreWork } from './store-work';

export interface ReconcileOptions extends Omit<ApplyConfigOptions, 'report' | 'followRunning'> {
  readonly certificates: GatewayCertificates;
  readonly coexistence: Coexistence;
  readonly status: StatusWriter;
  readonly storeWork: StoreWork;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly events: GatewayEvents;
  readonly log: Logger;
}

/**
 * Makes the cluster hold what the config of a gateway says. Resolves with the milliseconds after which it is to be looked at
 * again though nothing changes, if any; rejects where it is to be tried again.
 */
export type Reconcile = (owner: Owner, signal: AbortSignal) => Promise<number | undefined>;

interface Result {
  readonly outcome: ReconcileOutcome;
  readonly dueIn?: number | undefined;
}

/** Before it is asked again whether what is known is up to date. Milliseconds. */
const BEHIND_MS = 5_000;

export function createReconcile(options: ReconcileOptions): Reconcile {
  const { watches, slices, view, setup, coexistence, status, events, keeper, imports, metrics, clock } = options;
  const report = createStatusReport(options);
  const hindrances = createHindrances({ ...options, report });
  const certificateRemoval = createCertificateRemoval(options);
  const removal = createConfigRemoval({ ...options, certificateRemoval, report });
  const leftovers = createLeftovers({ ...options, certificateRemoval });

  async function steps(owner: Owner, signal: AbortSignal): Promise<Result> {
    const config = watches.config(owner);
    if (config === undefined) return await cleanUp(owner, signal);
    leftovers.forget(owner);
    const another = await coexistence.another(signal);
    // Whoever decides from half of what there is deletes the other half.
    const unknown = watches.unknown(config.metadata.namespace);
    if (unknown.length > 0) {
      const mayWrite = another === undefined && watches.knowsOthers();
      return { outcome: 'waiting', dueIn: await hindrances.wait(config, notSynced(unknown), mayWrite, signal) };
    }
    if (another !== undefined) return await standBack(owner, config, another, signal);
    if (!(await view.isCurrentAtFirst(config, signal))) return { outcome: 'waiting', dueIn: BEHIND_MS };
    if (config.metadata.deletionTimestamp !== undefined) return await letGo(owner, config, signal);
    if (setup.problems() === undefined) {
      await followRunning(owner, config);
      // It adds every gateway when it is done.
      return { outcome: 'waiting', dueIn: await hindrances.wait(config, notPrepared(), true, signal) };
    }
    hindrances.over(owner);
    return await applyConfig(owner, config, { ...options, report, followRunning }, signal);
  }

  /** There is no config, as far as is known. */
  async function cleanUp(owner: Owner, signal: AbortSignal): Promise<Result> {
    slices.forget(owner);
    events.forget(owner);
    status.forget(owner);
    removal.forget(owner);
    hindrances.over(owner);
    keeper.forget(owner);
    imports.forget(owner);
    if (watches.unknown().length > 0) return { outcome: 'waiting', dueIn: BEHIND_MS };
    if ((await coexistence.another(signal)) !== undefined) return { outcome: 'stood-back' };
    const dueIn = await leftovers.remove(owner, signal);
    return { outcome: dueIn === undefined ? 'done' : 'waiting', dueIn };
  }

  async function standBack(
    owner: Owner,
    config: KubernetesObject,
    another: Another,
    signal: AbortSignal,
  ): Promise<Result> {
    slices.forget(owner);
    const isDeleted = config.metadata.deletionTimestamp !== undefined;
    // Else the other one removes it, and tells of it.
    const waitsForUs = isDeleted && hasFinalizer(config) && !another.isInstallation;
    const message = waitsForUs
      ? `${another.message}. The gateway is being deleted, and goes only when this controller may remove what it has made for it`
      : another.message;
    events.stoodBack(config, message);
    if (waitsForUs && (await view.isCurrentAtFirst(config, signal))) {
      const problem: Problem = { condition: 'Ready', reason: 'AnotherController', message, blocks: true };
      await report.hindered(config, problem, signal);
    }
    return { outcome: 'stood-back' };
  }

  async function letGo(owner: Owner, config: KubernetesObject, signal: AbortSignal): Promise<Result> {
    slices.forget(owner);
    const dueIn = await removal.remove(config, signal);
    return { outcome: dueIn === undefined ? 'done' : 'waiting', dueIn };
  }

  async function followRunning(owner: Owner, object: KubernetesObject): Promise<void> {
    if (slices.follows(owner)) return;
    // Whatever it is, it is the owner of its EndpointSlices.
    await slices.follow(owner, object as unknown as OwningConfig, runningSchedulers(owner, options));
  }

  return async (owner, signal) => {
    const startedAt = clock.now();
    let outcome: ReconcileOutcome = 'failed';
    try {
      const result = await steps(owner, signal);
      outcome = result.outcome;
      return result.dueIn;
    } catch (error) {
      const config = watches.config(owner);
      const isNews = !signal.aborted && !(error instanceof Unfinished);
      if (isNews && config !== undefined) events.failed(config, (error as Error).message);
      throw error;
    } finally {
      metrics.reconciled(outcome, (clock.now() - startedAt) / 1000);
    }
  };
}
