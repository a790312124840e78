import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { formatPath } from '../../lib/api/validation/fault';
import { propertyAt, textOf } from '../../lib/api/validation/loose';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayStatus } from '../../lib/translate/cluster/status/gateway-status';
import type { IssuedCertificate } from '../../lib/translate/cluster/status/observed';
import { invalidGateway, translateGateway } from '../../lib/translate/cluster/translate-gateway';
import type { Problem, Translation } from '../../lib/translate/cluster/types';
import type { ClusterSetup } from './cluster-setup';
import type { Coexistence } from './coexistence';
import type { GatewayEvents } from './events';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizer';
import { foreignObjects } from './foreign-objects';
import type { ClientCertificate, GatewayCertificates } from './gateway-certificates';
import { type MaintainOptions, maintainGateway } from './maintain-gateway';
import type { ReconcileOutcome } from './metrics';
import { observedOf } from './observed';
import type { Owner } from './owner';
import { removeGateway } from './removal';
import { runningSchedulers } from './running-schedulers';
import type { StatusWriter } from './status-writer';
import { worldOf } from './world';
import { failureProblem, type WriteFailure } from './write-failure';

export interface ReconcileOptions extends MaintainOptions {
  readonly certificates: GatewayCertificates;
  readonly coexistence: Coexistence;
  readonly setup: Pick<ClusterSetup, 'problems'>;
  readonly status: StatusWriter;
  readonly events: GatewayEvents;
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

/** Something could not be written. The status and Events say what. */
class Unfinished extends Error {
  override readonly name = 'Unfinished';
}

/** Informers of a new namespace take a moment; what takes longer is told. Milliseconds. */
const SYNC_MS = 10_000;

/** Others work on what is waited for. Milliseconds. */
const REMOVAL_POLL_MS = 5_000;

export function createReconcile(options: ReconcileOptions): Reconcile {
  const { client, watches, applied, slices, certificates, installation, setup, status, events, metrics, clock } =
    options;
  /** Since when too little is known. */
  const waitingSince = new Map<Owner, number>();

  async function steps(owner: Owner, signal: AbortSignal): Promise<Result> {
    const config = watches.config(owner);
    if (config === undefined) return forget(owner);
    // Whoever decides from half of what there is deletes the other half.
    const unknown = watches.unknown(config.metadata.namespace);
    if (unknown.length > 0) return awaitSync(owner, config, unknown);
    waitingSince.delete(owner);
    const another = await options.coexistence.another(signal);
    if (another !== undefined) {
      slices.forget(owner);
      events.stoodBack(config, another);
      return { outcome: 'stood-back' };
    }
    if (config.metadata.deletionTimestamp !== undefined) return await remove(owner, config, signal);
    // It adds every gateway when it is done.
    if (setup.problems() === undefined) return { outcome: 'waiting' };
    return await maintain(owner, config, signal);
  }

  function forget(owner: Owner): Result {
    slices.forget(owner);
    events.forget(owner);
    status.forget(owner);
    options.keeper.forget(owner);
    waitingSince.delete(owner);
    return { outcome: 'done' };
  }

  function awaitSync(owner: Owner, config: KubernetesObject, unknown: readonly string[]): Result {
    const since = waitingSince.get(owner) ?? clock.now();
    waitingSince.set(owner, since);
    if (clock.now() - since >= SYNC_MS) events.notSynced(config, unknown);
    return { outcome: 'waiting', dueIn: SYNC_MS };
  }

  async function remove(owner: Owner, config: KubernetesObject, signal: AbortSignal): Promise<Result> {
    slices.forget(owner);
    if (!hasFinalizer(config)) return { outcome: 'done' };
    const deleteCertificate = (arn: string) => certificates.deleteImported(arn, signal);
    const importedArn = await importedCertificate(config, signal);
    const removal = await removeGateway(config, { client, installation, importedArn, deleteCertificate, signal });
    if (removal.state === 'removed') {
      events.removed(config);
      await removeFinalizer(client, config, signal);
      return { outcome: 'done' };
    }
    const { reason, message } = removal;
    events.waiting(config, reason, message);
    const problems: readonly Problem[] = [{ condition: 'Ready', reason, message, blocks: true }];
    await writeStatus(config, undefined, { problems, pickerDeployments: new Map() }, undefined, signal);
    return { outcome: 'waiting', dueIn: REMOVAL_POLL_MS };
  }

  /** Its name is kept beside it; a config that is not valid any more has it in its status. */
  async function importedCertificate(config: KubernetesObject, signal: AbortSignal): Promise<string | undefined> {
    const checked = validateObject(config);
    if ('object' in checked) {
      return (await certificates.read(checked.object as InferenceGatewayConfig, signal)).issued?.acmArn;
    }
    const arn = textOf(propertyAt(config.status, 'tls', 'acmArn'));
    return arn === textOf(propertyAt(config.spec, 'tls', 'acmArn')) ? undefined : arn;
  }

  async function maintain(owner: Owner, object: KubernetesObject, signal: AbortSignal): Promise<Result> {
    const checked = validateObject(object);
    if (!('object' in checked)) {
      const faults = 'faults' in checked ? checked.faults : [];
      const texts = faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
      return await block(object, undefined, invalidGateway(texts), undefined, signal);
    }
    const config = checked.object as InferenceGatewayConfig;
    const certificate = await certificates.read(config, signal);
    const translated = await translate(owner, object, config, certificate, signal);
    const translation = { ...translated, problems: [...(setup.problems() ?? []), ...translated.problems] };
    if (translation.problems.some(({ blocks }) => blocks)) {
      if (!slices.follows(owner)) await slices.follow(owner, runningSchedulers(owner, config, new Set(), watches));
      return await block(object, config, translation, certificate, signal);
    }

    // Before anything that does not go by itself with the config.
    if (!hasFinalizer(object)) await addFinalizer(client, object, signal);
    const maintained = await maintainGateway(owner, config, translation, options, signal);
    const problems = [...translation.problems, ...maintained.problems];
    await writeStatus(object, config, { ...translation, problems }, certificate, signal);
    events.problems(object, problems);
    if (maintained.failures.length > 0) throw new Unfinished(summary(maintained.failures));
    return { outcome: 'done', dueIn: maintained.dueIn };
  }

  /** Twice where something stands in the way: what that is, is known only from what would be made. */
  async function translate(
    owner: Owner,
    object: KubernetesObject,
    config: InferenceGatewayConfig,
    certificate: ClientCertificate,
    signal: AbortSignal,
  ): Promise<Translation> {
    const world = worldOf(object, watches, certificate);
    const translation = translateGateway(config, installation, world);
    const foreign = await foreignObjects(owner, translation.objects, { client, applied, watches, signal });
    return foreign.length === 0 ? translation : translateGateway(config, installation, { ...world, foreign });
  }

  /** Changes nothing, and says why. What runs goes on as it was. */
  async function block(
    object: KubernetesObject,
    config: InferenceGatewayConfig | undefined,
    translation: Translation,
    certificate: ClientCertificate | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    await writeStatus(object, config, translation, certificate, signal);
    events.problems(object, translation.problems);
    return { outcome: 'blocked' };
  }

  /** `certificate` undefined: it was not looked at, and stays as it was told. */
  async function writeStatus(
    object: KubernetesObject,
    config: InferenceGatewayConfig | undefined,
    translation: Pick<Translation, 'problems' | 'pickerDeployments'>,
    certificate: ClientCertificate | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const newest = status.newest(object);
    const former = propertyAt(newest.status, 'tls') as IssuedCertificate | undefined;
    const issued = certificate === undefined ? former : certificate.issued;
    const observed = { ...observedOf(object, watches), certificate: issued };
    const now = new Date(clock.wall()).toISOString().replace(/\.\d+/, '');
    await status.write(newest, gatewayStatus({ object: newest, config, translation, observed, now }), signal);
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

function summary(failures: readonly WriteFailure[]): string {
  const [first] = failures.map(failureProblem);
  const others = failures.length - 1;
  return `${first?.message ?? ''}${others === 0 ? '' : ` (and ${others} more)`}`;
}
