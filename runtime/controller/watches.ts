import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GATEWAY_CLASS, GROUP, SCHEDULER_LABEL } from '../../lib/translate/cluster/names';
import { shortName } from '../../lib/translate/cluster/short-name';
import type { Installation } from '../../lib/translate/cluster/types';
import type { InformerOptions } from '../kubernetes/informer';
import type { OnChange } from '../kubernetes/object-store';
import { resourceName } from '../kubernetes/resource-path';
import { resourceOf } from '../kubernetes/resources';
import { AWS_CONTROLLER, runsOf } from './aws-controller';
import { createClusterInformers } from './cluster-informers';
import { OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE } from './envoy-objects';
import { isModelSlice } from './model-slice';
import { createNamespaceWatches } from './namespace-watches';
import { OWNED_KINDS, placeOf } from './owned-kinds';
import { createOwnedObjects } from './owned-objects';
import { namespacesOf, OWNED_SELECTOR, type Owner, ownerOfConfig } from './owner';
import { isReferred } from './referred-config-maps';
import { trimSecret } from './trim';

/** Who is told of changes. Everything must return at once. */
export interface WatchListener {
  /** What a gateway follows from, or something that was made for it, has changed. */
  gateway(owner: Owner): void;
  /** The status of a config has changed, and nothing else of it. */
  status(config: KubernetesObject): void;
  /** Of a namespace that has an InferenceGatewayConfig. */
  pod(old: KubernetesObject | undefined, now: KubernetesObject | undefined): void;
  /** An EndpointSlice of a model's pods has changed. */
  slice(owner: Owner, scheduler: string): void;
  /** An object of ours is gone. */
  gone(object: KubernetesObject): void;
  /** What holds for all gateways has changed: the GatewayClass, another controller, a kind that is served now. */
  everything(): void;
}

/** What is known of the cluster. Everything is as last heard of. */
export interface Watches {
  config(owner: Owner): KubernetesObject | undefined;
  configs(): readonly KubernetesObject[];
  /** Everything that was made for a gateway, in the namespaces that this installation makes it in. */
  owned(owner: Owner): readonly KubernetesObject[];
  /** What another installation has made for it, in namespaces of its own. */
  elsewhere(owner: Owner): readonly KubernetesObject[];
  /** Of which there are objects in this installation's namespaces. */
  owners(): readonly Owner[];
  /** The object of that kind and name, if the controller has made it. */
  find(object: KubernetesObject): KubernetesObject | undefined;
  /** Services and Deployments that Envoy Gateway has made for a Gateway. */
  envoys(gateway: string): readonly KubernetesObject[];
  /** ConfigMaps, InferenceModelRewrites and InferenceObjectives of a namespace. */
  referred(namespace: string): readonly KubernetesObject[];
  pods(namespace: string): readonly KubernetesObject[];
  /** False where the cluster does not serve the kind. One that only cannot be read is served. */
  mayBeServed(apiVersion: string, kind: string): boolean;
  /** Of the place and name that AWS's controller has. */
  foreignDeployment(): KubernetesObject | undefined;
  /** Of the controller's name, whoever made it. */
  gatewayClass(): KubernetesObject | undefined;
  /** Whether it is known if another controller is there. */
  knowsOthers(): boolean;
  /** Kinds of which not everything is known yet: of the whole cluster, and of the namespace. */
  unknown(namespace?: string): readonly string[];
  /** Kinds that gateways need and the cluster does not serve. */
  missing(): readonly string[];
  /** Kinds that gateways can do without and that are not waited for any more; each with the reason. */
  unreadable(): ReadonlyMap<string, string>;
  /** By kind: milliseconds since the API server last said something about it; the oldest of its watches. */
  staleness(): ReadonlyMap<string, number>;
  /** Every watch has ended. */
  readonly done: Promise<void>;
}

export type WatchOptions = Pick<InformerOptions, 'client' | 'clock' | 'random' | 'log' | 'signal'> & {
  readonly installation: Installation;
  readonly listener: WatchListener;
};

const CONFIGS = resourceOf(`${GROUP}/v1alpha1`, 'InferenceGatewayConfig');

/** An API server that was away is found again soon: a few dozen watches do not press it. Milliseconds. */
const MAX_BACKOFF_MS = 5_000;

/** What picker and router read; its versions of both groups. */
const REFERRED = ['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'].flatMap((apiVersion) =>
  ['InferenceModelRewrite', 'InferenceObjective'].map((kind) => resourceOf(apiVersion, kind)),
);

/**
 * Follows everything that gateways depend on. Of the whole cluster: the configs, what the controller has made (by its
 * label), rewrites and objectives. Pods and ConfigMaps only in namespaces that have a config. Secrets only in the system
 * namespace, by the controller's label, and not what they hold.
 */
export function startWatches(options: WatchOptions): Watches {
  const { installation, listener, client, clock, random, log, signal } = options;
  const base = { client, clock, random, log, signal, maxBackoffMs: MAX_BACKOFF_MS };
  const cluster = createClusterInformers({ ...base, onSync: () => listener.everything() });
  const watch = cluster.start;
  const owned = createOwnedObjects();
  const configs = new Map<Owner, KubernetesObject>();

  /** Gateways of a name, of whatever namespace: only one of them has it. */
  const tellNamed = (gateway: string | undefined) => {
    for (const owner of configs.keys()) if (owner.endsWith(`/${gateway}`)) listener.gateway(owner);
  };
  const tellNear = (namespace: string | undefined) => {
    for (const owner of configs.keys()) if (owner.startsWith(`${namespace}/`)) listener.gateway(owner);
  };

  const near = createNamespaceWatches({
    ...base,
    onPod: (old, now) => listener.pod(old, now),
    onConfigMap(old, now) {
      const isRead = [old, now].some((one) => one !== undefined && isReferred(one, configs.values()));
      if (isRead) tellNear((now ?? old)!.metadata.namespace);
    },
    onSync: (namespace) => tellNear(namespace),
  });

  watch(CONFIGS, {}, (old, now) => {
    const object = now ?? old!;
    const owner = ownerOfConfig(object);
    if (now === undefined) configs.delete(owner);
    else configs.set(owner, now);
    near.follow(new Set([...configs.values()].map(({ metadata }) => metadata.namespace ?? 'default')));
    if (now !== undefined && isSameButStatus(old, now)) return listener.status(now);
    listener.gateway(owner);
    if (isSameWish(old, now)) return;
    tellNamed(shortName(object.metadata.name));
    tellNear(object.metadata.namespace);
  });

  const ownedChanged: OnChange = (old, now) => {
    const owners = owned.change(old, now);
    if (now === undefined) listener.gone(old!);
    const object = now ?? old!;
    const scheduler = object.metadata.labels?.[SCHEDULER_LABEL];
    for (const owner of owners) {
      if (isModelSlice(object) && scheduler !== undefined) listener.slice(owner, scheduler);
      else listener.gateway(owner);
      // Whoever waits for the name may have it now.
      if (now === undefined) tellNamed(owner.slice(owner.indexOf('/') + 1));
    }
  };
  for (const kind of OWNED_KINDS) {
    const trim = kind.resource.kind === 'Secret' ? trimSecret : undefined;
    watch(kind.resource, placeOf(kind, installation, OWNED_SELECTOR), ownedChanged, trim);
  }

  const gatewayClasses = watch(
    resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass'),
    { fieldSelector: `metadata.name=${GATEWAY_CLASS}` },
    (old, now) => {
      owned.change(old, now);
      if (now === undefined) listener.gone(old!);
      listener.everything();
    },
  );
  const controllers = watch(
    resourceOf('apps/v1', 'Deployment'),
    { namespace: AWS_CONTROLLER.namespace, fieldSelector: `metadata.name=${AWS_CONTROLLER.name}` },
    (old, now) => {
      if (runsOf(old) !== runsOf(now)) listener.everything();
    },
  );

  const envoys = ['v1 Service', 'apps/v1 Deployment'].map((text) => {
    const [apiVersion = '', kind = ''] = text.split(' ');
    const labelSelector = `${OWNING_GATEWAY_NAMESPACE}=${installation.systemNamespace}`;
    const selection = { namespace: installation.envoyNamespace, labelSelector };
    return watch(resourceOf(apiVersion, kind), selection, (old, now) =>
      tellNamed((now ?? old!).metadata.labels?.[OWNING_GATEWAY_NAME]),
    );
  });

  const referred = REFERRED.map((resource) =>
    watch(resource, {}, (old, now) => tellNear((now ?? old!).metadata.namespace)),
  );

  /** What another installation has made is its own business. */
  const isHere = (owner: Owner) => {
    const namespaces = namespacesOf(owner, installation);
    return ({ metadata }: KubernetesObject) => namespaces.has(metadata.namespace ?? '');
  };

  return {
    config: (owner) => configs.get(owner),
    configs: () => [...configs.values()],
    owned: (owner) => owned.of(owner).filter(isHere(owner)),
    elsewhere: (owner) => owned.of(owner).filter((object) => !isHere(owner)(object)),
    owners: () => owned.owners().filter((owner) => owned.of(owner).some(isHere(owner))),
    find: (object) => owned.find(object),
    envoys: (gateway) =>
      envoys
        .flatMap((informer) => informer.list())
        .filter(({ metadata }) => metadata.labels?.[OWNING_GATEWAY_NAME] === gateway),
    referred: (namespace) => [
      ...near.configMaps(namespace).filter((configMap) => isReferred(configMap, configs.values())),
      ...referred.flatMap((informer) => informer.list()).filter(({ metadata }) => metadata.namespace === namespace),
    ],
    pods: (namespace) => near.pods(namespace),
    mayBeServed(apiVersion, kind) {
      const resource = resourceOf(apiVersion, kind);
      return cluster.isServed(resource) || cluster.unreadable().has(resourceName(resource));
    },
    foreignDeployment: () => controllers.list().at(0),
    gatewayClass: () => gatewayClasses.list().at(0),
    knowsOthers: () => [controllers, gatewayClasses].every((informer) => informer.state() !== 'starting'),
    unknown: (namespace) => [
      ...cluster.unknown(),
      ...(namespace === undefined ? [] : near.informers(namespace))
        .filter((informer) => informer.state() === 'starting')
        .map(({ resource }) => resourceName(resource)),
    ],
    missing: cluster.missing,
    unreadable: cluster.unreadable,
    staleness() {
      const oldest = new Map<string, number>();
      for (const informer of [...cluster.all(), ...near.informers()]) {
        if (informer.state() === 'absent') continue;
        const name = resourceName(informer.resource);
        oldest.set(name, Math.max(oldest.get(name) ?? 0, informer.stalenessMs()));
      }
      return oldest;
    },
    done: Promise.all([...cluster.all().map(({ done }) => done), near.done]).then(() => {}),
  };
}

/** Others look at what a config asks for, whether it is there, and whether it goes; not at its status. */
function isSameWish(old: KubernetesObject | undefined, now: KubernetesObject | undefined): boolean {
  return (
    old?.metadata.uid === now?.metadata.uid &&
    old?.metadata.generation === now?.metadata.generation &&
    old?.metadata.deletionTimestamp === now?.metadata.deletionTimestamp
  );
}

/** Our own writes of the status come back so. */
function isSameButStatus(old: KubernetesObject | undefined, now: KubernetesObject): boolean {
  const rest = ({ metadata: { resourceVersion: _, ...metadata }, status: __, ...fields }: KubernetesObject) =>
    JSON.stringify([metadata, fields]);
  return old !== undefined && rest(old) === rest(now);
}
