import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { shortName } from '../../lib/translate/cluster/short-name';
import type { Installation } from '../../lib/translate/cluster/types';
import type { ApiClient, Resource, Selection } from '../kubernetes/api-client';
import { isApiError } from '../kubernetes/api-error';
import { resourceOf } from '../kubernetes/resources';
import { pruneWaves } from './apply-order';
import { OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE } from './envoy-objects';
import { inTurns } from './in-turns';
import { isOptional, OWNED_KINDS, placeOf } from './owned-kinds';
import { isApplied, namespacesOf, ownedSelector, ownerOfConfig } from './owner';

export interface RemovalOptions {
  readonly client: ApiClient;
  readonly installation: Installation;
  /**
   * Deletes the certificate that was imported for the gateway, and that its load balancer may use; resolves also where there
   * is none. Rejects while it cannot, with a message that says why: a certificate in use cannot be deleted.
   */
  readonly deleteCertificate: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Of a gateway: its config, or only the name and namespace of one that is gone. */
type Gateway = Pick<KubernetesObject, 'metadata'>;

/** How far the removal of a gateway has come. */
export type Removal =
  | { readonly state: 'removed'; readonly objects: number }
  /** To be tried again. `reason` is one word, `message` says what is waited for and who must act. */
  | { readonly state: 'waiting'; readonly reason: string; readonly message: string };

/** What traffic enters by. Those who made a load balancer for it let go of it once that is gone. */
const ENTRANCES: ReadonlySet<string> = new Set(['HTTPRoute', 'Ingress', 'TargetGroupBinding', 'Gateway']);

/** Requests under way at the same time. */
const CONCURRENCY = 8;

const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');

/**
 * Removes what was made for a gateway, in the order in which nothing is left behind: the routes, the Gateway and the load
 * balancer; then, when that is really gone, the imported certificate that it used; then all the rest. Looks at the
 * API server itself, for an informer may not have seen yet what was made last. Can be repeated at any time.
 */
export async function removeGateway(config: Gateway, options: RemovalOptions): Promise<Removal> {
  const owned = await listOwned(config, options);
  const isEntrance = ({ object }: Found) => ENTRANCES.has(object.kind);
  const leftEntrances = await removeEntirely(owned.filter(isEntrance), options);
  if (leftEntrances.length > 0) return waitingFor(leftEntrances);
  // Envoy Gateway removes its own, if it still runs.
  const leftServices = await removeEntirely(await listEnvoys(config, resourceOf('v1', 'Service'), options), options);
  if (leftServices.length > 0) return waitingFor(leftServices);

  const refused = await deleteImported(options);
  if (refused !== undefined) return refused;
  const rest = owned.filter((found) => !isEntrance(found));
  await removeAll([...rest, ...(await listEnvoys(config, resourceOf('apps/v1', 'Deployment'), options))], options);
  return { state: 'removed', objects: owned.length };
}

async function deleteImported({ deleteCertificate, signal }: RemovalOptions): Promise<Removal | undefined> {
  try {
    await deleteCertificate();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'waiting', reason: 'DeletingCertificate', message: (error as Error).message };
  }
}

interface Found {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

async function listOwned(config: Gateway, options: RemovalOptions): Promise<readonly Found[]> {
  const labelSelector = ownedSelector(config);
  const found = await Promise.all(
    OWNED_KINDS.map((kind) => list(kind.resource, placeOf(kind, options.installation, labelSelector), options)),
  );
  const namespaces = namespacesOf(ownerOfConfig(config), options.installation);
  return found
    .flat()
    .filter(({ object }) => namespaces.has(object.metadata.namespace ?? ''))
    .filter(({ object }) => isApplied(object) || isIssued(object));
}

/**
 * A Secret that cert-manager has made for a Certificate of the gateway, and leaves behind: with the key of an authority
 * that clients trust.
 */
function isIssued({ kind, metadata }: KubernetesObject): boolean {
  return kind === 'Secret' && metadata.annotations?.['cert-manager.io/certificate-name'] !== undefined;
}

/**
 * What Envoy Gateway has made: the Envoys, and the Service that the load balancer belongs to. Where there is a Gateway of
 * the name still, it is another config's, and so are they.
 */
async function listEnvoys({ metadata }: Gateway, resource: Resource, options: RemovalOptions) {
  const { client, signal } = options;
  const { systemNamespace, envoyNamespace } = options.installation;
  const gateway = shortName(metadata.name);
  if ((await client.get(GATEWAYS, gateway, systemNamespace, signal)) !== undefined) return [];
  const labels = [`${OWNING_GATEWAY_NAME}=${gateway}`, `${OWNING_GATEWAY_NAMESPACE}=${systemNamespace}`];
  return await list(resource, { namespace: envoyNamespace, labelSelector: labels.join(',') }, options);
}

async function list(resource: Resource, selection: Selection, { client, signal }: RemovalOptions) {
  try {
    const { items } = await client.list(resource, selection, signal);
    return items.map((object): Found => ({ resource, object }));
  } catch (error) {
    // A kind that the cluster does not serve has no objects; of one that may not be read the controller has made none.
    if (isApiError(error, 404) || (isApiError(error, 403) && isOptional(resource))) return [];
    throw error;
  }
}

async function removeAll(found: readonly Found[], { client, signal }: RemovalOptions): Promise<void> {
  const byObject = new Map(found.map(({ resource, object }) => [object, resource]));
  for (const wave of pruneWaves([...byObject.keys()])) {
    await inTurns(wave, CONCURRENCY, async (object) => {
      const { name, namespace, uid, deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) return;
      await client.delete(byObject.get(object)!, name, namespace, { ...(uid !== undefined && { uid }), signal });
    });
  }
}

/** What is left of them: others may have to clean up first. */
async function removeEntirely(found: readonly Found[], options: RemovalOptions): Promise<readonly KubernetesObject[]> {
  const { client, signal } = options;
  await removeAll(found, options);
  const left: KubernetesObject[] = [];
  await inTurns(found, CONCURRENCY, async ({ resource, object: { metadata } }) => {
    const now = await client.get(resource, metadata.name, metadata.namespace, signal);
    if (now !== undefined && now.metadata.uid === metadata.uid) left.push(now);
  });
  return left;
}

function waitingFor(left: readonly KubernetesObject[]): Removal {
  const names = left.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
  const finalizers = [...new Set(left.flatMap(({ metadata }) => metadata.finalizers ?? []))];
  const who =
    finalizers.length === 0
      ? 'they are being deleted'
      : `who has set ${finalizers.join(' and ')} on it must still clean up and take that off; see that it runs`;
  return {
    state: 'waiting',
    reason: 'DeletingLoadBalancer',
    message: `waits until ${names.join(', ')} is gone, and with it the load balancer: ${who}`,
  };
}
