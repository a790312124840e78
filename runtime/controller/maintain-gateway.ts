import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayNames, SCHEDULER_LABEL, schedulerNames } from '../../lib/translate/cluster/names';
import type { Installation, Problem, Translation } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { resourceOf } from '../kubernetes/resources';
import type { AppliedObjects } from './applied-objects';
import { type ApplyResult, applyObjects, isHeldUp } from './apply-gateway';
import type { CertificateImports } from './certificate-imports';
import type { CertificateKeeper } from './certificate-keeper';
import type { Disputes } from './disputes';
import { earliest } from './earliest';
import type { EndpointSlicesLoop } from './endpoint-slices-loop';
import type { FreshView } from './fresh-view';
import type { EnsuredCertificates } from './gateway-certificates';
import type { ControllerMetrics } from './metrics';
import { isModelSlice } from './model-slice';
import { isOptional } from './owned-kinds';
import type { Owner } from './owner';
import { servingPickers } from './picker-rollouts';
import { pruneObjects, unwanted } from './prune-gateway';
import { runningSchedulers } from './running-schedulers';
import type { Watches } from './watches';
import { failureProblem, schedulerOf, type WriteFailure } from './write-failure';

export interface MaintainOptions {
  readonly client: ApiClient;
  readonly watches: Watches;
  readonly view: FreshView;
  readonly applied: AppliedObjects;
  readonly disputes: Disputes;
  readonly slices: EndpointSlicesLoop;
  readonly keeper: CertificateKeeper;
  readonly imports: CertificateImports;
  readonly installation: Installation;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
  /** uids of objects that only look like ours. */
  readonly strangers: Set<string>;
}

export interface Maintained {
  readonly problems: readonly Problem[];
  /** What could not be written, and is to be tried again. */
  readonly failures: readonly WriteFailure[];
  /** When it is to be looked at again, though nothing changes. Milliseconds from now. */
  readonly dueIn: number | undefined;
  /** An imported certificate that was taken away. */
  readonly deletedArn: string | undefined;
}

/** Before it is asked again whether what is known of the config is up to date. Milliseconds. */
const BEHIND_MS = 5_000;

/**
 * Envoy Gateway watches each kind by itself. Where it knows of a route and not of what that leads to, requests get an answer
 * without a body. By then it has heard of what was written before. Milliseconds.
 */
const HEARD_MS = 1_000;

/**
 * Makes the cluster hold what an accepted config comes to. First what routes rely on, last the routes; then what nothing
 * wants any more is taken away, routes first, and old pickers only when the new ones serve.
 */
export async function maintainGateway(
  owner: Owner,
  config: InferenceGatewayConfig,
  translation: Translation,
  options: MaintainOptions,
  signal: AbortSignal,
): Promise<Maintained> {
  const { watches, slices, view, disputes, clock } = options;
  const seen = (object: KubernetesObject) => watches.find(object);
  const apply = (objects: readonly KubernetesObject[]) => applyObjects(objects, { ...options, seen, signal });

  const ensured = await ensureCertificates(owner, config, options, signal);
  // What others would serve, and do not: the translation's problems say so.
  const desired = translation.objects.filter(
    ({ apiVersion, kind }) => !isOptional(resourceOf(apiVersion, kind)) || watches.mayBeServed(apiVersion, kind),
  );
  const [routes, rest] = [desired.filter(isRoute), desired.filter((object) => !isRoute(object))];
  const before = await apply(rest);
  const accepted = new Set(translation.pickerDeployments.keys());
  const schedulers = new Set(config.spec.schedulers.map(({ name }) => name));
  const followed = [
    ...config.spec.schedulers.filter(({ name }) => accepted.has(name)),
    // As an earlier config had them.
    ...runningSchedulers(owner, options).filter(({ name }) => schedulers.has(name) && !accepted.has(name)),
  ];
  const unfollowed = (await slices.follow(owner, config, followed)).map((fault) => sliceFailure(config, fault));
  const failures = [...before.failures, ...unfollowed];
  // The way on which requests begin is there before, and until after, those of the models that it leads to.
  const after: ApplyResult[] = [];
  const isNew = (route: KubernetesObject) => seen(route) === undefined && !isHeldUp(route, failures);
  if (routes.some(isNew)) await clock.sleep(HEARD_MS, signal);
  for (const wave of [routes.filter((route) => !isOfModel(route)), routes.filter(isOfModel)]) {
    const result = await apply(wave.filter((route) => !isHeldUp(route, failures)));
    after.push(result);
    failures.push(...result.failures);
  }

  const owned = watches.owned(owner);
  const stale = unwanted({
    owned,
    desired,
    schedulers,
    accepted,
    serving: servingPickers({
      wanted: translation.pickerDeployments,
      owned,
      pods: watches.pods(config.metadata.namespace),
    }),
  });
  const unneeded = stale.filter((object) => !isHeldUp(object, failures));
  const isBehind = unneeded.length > 0 && !(await view.isCurrent(config, signal));
  if (!isBehind) failures.push(...(await prune(unneeded, options, signal)));
  // Not waited for: a store may take minutes to answer, and whoever has a certificate goes on with it.
  const imported = options.imports.latest(owner, config);
  failures.push(...ensured.failures, ...imported.failures);
  return {
    problems: [
      ...ensured.problems,
      ...imported.problems,
      ...failures.map(failureProblem),
      ...disputes.problems([...desired, ...owned.filter(isModelSlice)]),
    ],
    failures,
    deletedArn: imported.deletedArn,
    dueIn: earliest(
      ensured.dueIn,
      imported.dueIn,
      isBehind ? BEHIND_MS : undefined,
      ...[before, ...after].map(({ dueIn }) => dueIn),
    ),
  };
}

/** What routes lead to stays until Envoy Gateway has heard that they are gone. */
async function prune(
  objects: readonly KubernetesObject[],
  options: MaintainOptions,
  signal: AbortSignal,
): Promise<readonly WriteFailure[]> {
  const routes = objects.filter(isRoute);
  const failures = await pruneObjects(routes, { ...options, signal });
  const isOurs = ({ metadata }: KubernetesObject) => !options.strangers.has(metadata.uid ?? '');
  if (routes.some(isOurs)) await options.clock.sleep(HEARD_MS, signal);
  const rest = objects.filter((object) => !isRoute(object) && !isHeldUp(object, failures));
  return [...failures, ...(await pruneObjects(rest, { ...options, signal }))];
}

async function ensureCertificates(
  owner: Owner,
  config: InferenceGatewayConfig,
  { keeper, installation }: MaintainOptions,
  signal: AbortSignal,
): Promise<EnsuredCertificates & { readonly failures: readonly WriteFailure[] }> {
  try {
    return { ...(await keeper.ensure(owner, config, signal)), failures: [] };
  } catch (error) {
    signal.throwIfAborted();
    const metadata = { name: gatewayNames(config).routerCertificate, namespace: installation.systemNamespace };
    return {
      problems: [],
      failures: [{ object: { apiVersion: 'v1', kind: 'Secret', metadata }, error: error as Error }],
    };
  }
}

function isRoute({ kind }: KubernetesObject): boolean {
  return kind === 'HTTPRoute';
}

function isOfModel(route: KubernetesObject): boolean {
  return schedulerOf(route) !== undefined;
}

function sliceFailure({ metadata }: InferenceGatewayConfig, fault: { scheduler: string; error: Error }): WriteFailure {
  const { scheduler, error } = fault;
  const name = schedulerNames({ name: scheduler }).endpoints;
  return {
    error,
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace: metadata.namespace, labels: { [SCHEDULER_LABEL]: scheduler } },
    },
  };
}
