import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { formatPath } from '../../lib/api/validation/fault';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { issuanceFailure } from '../../lib/translate/cluster/status/client-certificate';
import { invalidGateway, translateGateway } from '../../lib/translate/cluster/translate-gateway';
import type { Translation } from '../../lib/translate/cluster/types';
import { clusterProblems } from './cluster-problems';
import type { ClusterSetup } from './cluster-setup';
import { earliest } from './earliest';
import type { GatewayEvents } from './events';
import { addFinalizer, hasFinalizer } from './finalizer';
import { foreignObjects } from './foreign-objects';
import type { ClientCertificate, GatewayCertificates } from './gateway-certificates';
import { type MaintainOptions, maintainGateway } from './maintain-gateway';
import { requestedCertificate } from './observed';
import type { Owner } from './owner';
import type { Report, StatusReport } from './status-report';
import { worldOf } from './world';
import { failureProblem, type WriteFailure } from './write-failure';

export interface ApplyConfigOptions extends MaintainOptions {
  readonly certificates: Pick<GatewayCertificates, 'read'>;
  readonly setup: Pick<ClusterSetup, 'problems'>;
  readonly report: StatusReport;
  readonly events: Pick<GatewayEvents, 'problems'>;
  /** Where the config is not followed: what runs as an earlier one had it still has its pods followed. */
  readonly followRunning: (owner: Owner, object: KubernetesObject) => Promise<void>;
}

export interface Applied {
  readonly outcome: 'done' | 'blocked';
  /** When it is to be looked at again, though nothing changes. Milliseconds from now. */
  readonly dueIn: number | undefined;
}

/** Something could not be written. The status and Events say what. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';
}

/** Makes the cluster hold what a config says, or, where it cannot be followed, changes nothing; and tells which. */
export async function applyConfig(
  owner: Owner,
  object: KubernetesObject,
  options: ApplyConfigOptions,
  signal: AbortSignal,
): Promise<Applied> {
  const { client, certificates, report, events, followRunning } = options;

  /** What runs goes on as it was. */
  async function block(why: Report): Promise<Applied> {
    await followRunning(owner, object);
    const dueIn = await report.write(why, signal);
    events.problems(object, why.translation.problems);
    return { outcome: 'blocked', dueIn };
  }

  const checked = validateObject(object);
  if (!('object' in checked)) {
    const faults = 'faults' in checked ? checked.faults : [];
    const texts = faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
    return await block({ object, translation: invalidGateway(texts) });
  }
  const config = checked.object as InferenceGatewayConfig;
  const certificate = await certificates.read(config, signal);
  const translation = await translate(owner, object, config, certificate, options, signal);
  if (translation.problems.some(({ blocks }) => blocks))
    return await block({ object, config, translation, certificate });

  // Before anything that does not go by itself with the config.
  if (!hasFinalizer(object)) await addFinalizer(client, object, signal);
  const maintained = await maintainGateway(owner, config, translation, options, signal);
  const told = { ...translation, problems: [...translation.problems, ...maintained.problems] };
  const left = withoutArn(certificate, maintained.deletedArn);
  const statusDueIn = await report.write({ object, config, translation: told, certificate: left }, signal);
  events.problems(object, told.problems);
  if (maintained.failures.length > 0) throw new Unfinished(summary(maintained.failures));
  return { outcome: 'done', dueIn: earliest(maintained.dueIn, statusDueIn) };
}

/** Twice where something stands in the way: what that is, is known only from what would be made. */
async function translate(
  owner: Owner,
  object: KubernetesObject,
  config: InferenceGatewayConfig,
  certificate: ClientCertificate,
  { client, applied, watches, installation, setup }: ApplyConfigOptions,
  signal: AbortSignal,
): Promise<Translation> {
  const world = worldOf(object, watches, certificate);
  const first = translateGateway(config, installation, world);
  const foreign = await foreignObjects(owner, first.objects, { client, applied, watches, signal });
  const translation = foreign.length === 0 ? first : translateGateway(config, installation, { ...world, foreign });
  const requested = requestedCertificate(object, watches, applied);
  const failure = requested === undefined ? [] : issuanceFailure(requested);
  const around = [...(setup.problems() ?? []), ...clusterProblems(owner, watches), ...failure];
  return { ...translation, problems: [...around, ...translation.problems] };
}

/** Else the status, which is read where there is no other record, would keep the name of what is gone. */
function withoutArn(certificate: ClientCertificate, gone: string | undefined): ClientCertificate {
  const { issued, ...rest } = certificate;
  if (gone === undefined || issued?.acmArn !== gone) return certificate;
  const { acmArn: _, ...others } = issued;
  return Object.keys(others).length === 0 ? rest : { ...rest, issued: others };
}

function summary(failures: readonly WriteFailure[]): string {
  const [first] = failures.map(failureProblem);
  const others = failures.length - 1;
  return `${first?.message ?? ''}${others === 0 ? '' : ` (and ${others} more)`}`;
}
