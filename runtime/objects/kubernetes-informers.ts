import { BBR_MANAGED_LABEL } from '../../lib/api/config-map';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { type AbortScope, abortScope } from '../kubernetes/abort-scope';
import type { Resource, Selection } from '../kubernetes/api-client';
import { type Informer, type InformerOptions, startInformer } from '../kubernetes/informer';
import { resourceName } from '../kubernetes/resource-path';
import { resourceOf } from '../kubernetes/resources';
import type { ConfigNeeds } from './config-needs';
import { isSameObject, trimConfigMap, trimPod, trimWritten } from './trim-object';

export interface KubernetesInformersOptions
  extends Pick<InformerOptions, 'client' | 'clock' | 'random' | 'log' | 'signal'> {
  /** Of the InferenceGatewayConfig, in whose namespace everything is. */
  readonly namespace: string;
  readonly name: string;
  /** Something that is read has changed, or become known. */
  onChange(): void;
}

interface Named {
  readonly informer: Informer;
  readonly scope: AbortScope;
}

const POD = resourceOf('v1', 'Pod');
const CONFIG_MAP = resourceOf('v1', 'ConfigMap');
const CONFIG = resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig');

/** Of other makers: a cluster may have them or not. */
const WRITTEN = ['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'].flatMap((apiVersion) =>
  ['InferenceModelRewrite', 'InferenceObjective'].map((kind) => resourceOf(apiVersion, kind)),
);

/** Watches the objects of one gateway: those that each has, and those that its config refers to as that changes. */
export class KubernetesInformers {
  private readonly config: Informer;
  /** Whatever the config says. */
  private readonly common: readonly Informer[];
  /** By what they are for: `pods QUERY`, `configmaps NAME`. */
  private readonly named = new Map<string, Named>();

  constructor(private readonly options: KubernetesInformersOptions) {
    const { name, signal } = options;
    this.config = this.start(CONFIG, { fieldSelector: `metadata.name=${name}` }, trimWritten, signal);
    this.common = [
      this.start(CONFIG_MAP, { labelSelector: `${BBR_MANAGED_LABEL}=true` }, trimConfigMap, signal),
      ...WRITTEN.map((resource) => this.start(resource, {}, trimWritten, signal)),
    ];
  }

  /** The API server has said whether there is a config. */
  get isAnswered(): boolean {
    return this.config.state() !== 'starting';
  }

  /** As it is now. */
  theConfig(): KubernetesObject | undefined {
    return this.config.get(this.options.name, this.options.namespace);
  }

  /** Watches what `needs` have and is not watched yet. */
  need(needs: ConfigNeeds): void {
    const { signal } = this.options;
    for (const key of keysOf(needs)) {
      if (this.named.has(key)) continue;
      const scope = abortScope(signal);
      const [plural, text] = splitKey(key);
      const informer =
        plural === POD.plural
          ? this.start(POD, { labelSelector: text }, trimPod, scope.signal)
          : this.start(CONFIG_MAP, { fieldSelector: `metadata.name=${text}` }, trimConfigMap, scope.signal);
      this.named.set(key, { informer, scope });
    }
  }

  /** Watches no more of what none of `needs` has. */
  keep(needs: readonly ConfigNeeds[]): void {
    const kept = new Set(needs.flatMap(keysOf));
    for (const [key, { scope }] of this.named) {
      if (kept.has(key)) continue;
      this.named.delete(key);
      scope.abort();
      scope.release();
    }
  }

  /** What is not known yet, in words; empty: all that `needs` have is. */
  unknown(needs: ConfigNeeds): readonly string[] {
    const isStarting = (informer: Informer | undefined) => informer?.state() === 'starting';
    return [
      ...[this.config, ...this.common].filter(isStarting).map(({ resource }) => resourceName(resource)),
      ...keysOf(needs).filter((key) => isStarting(this.named.get(key)?.informer)),
    ];
  }

  /** All that `needs` have, less the config: ConfigMaps, rewrites and objectives, and the pods. */
  objects(needs: ConfigNeeds): {
    readonly written: readonly KubernetesObject[];
    readonly pods: readonly KubernetesObject[];
  } {
    const written = new Map<string, KubernetesObject>();
    const pods: KubernetesObject[] = [];
    const enter = (object: KubernetesObject) =>
      written.set(`${object.apiVersion} ${object.kind} ${object.metadata.name}`, object);
    for (const informer of this.common) informer.list().forEach(enter);
    for (const key of keysOf(needs)) {
      const found = this.named.get(key)?.informer.list() ?? [];
      if (splitKey(key)[0] === POD.plural) pods.push(...found);
      else found.forEach(enter);
    }
    return { written: [...written.values()], pods };
  }

  /** Milliseconds since the API server last said something of the kind that it has been silent about for longest. */
  silentMs(): number {
    const all = [this.config, ...this.common, ...[...this.named.values()].map(({ informer }) => informer)];
    return Math.max(...all.map((informer) => informer.stalenessMs()));
  }

  /** Resolves once all have ended. */
  async done(): Promise<void> {
    await Promise.all(
      [this.config, ...this.common, ...[...this.named.values()].map(({ informer }) => informer)].map(
        ({ done }) => done,
      ),
    );
  }

  private start(
    resource: Resource,
    selection: Selection,
    trim: (object: KubernetesObject) => KubernetesObject,
    signal: AbortSignal,
  ): Informer {
    const { client, clock, random, log, namespace, onChange } = this.options;
    return startInformer({
      client,
      resource,
      selection: { namespace, ...selection },
      clock,
      random,
      log,
      signal,
      trim,
      onSync: onChange,
      onChange(old, now) {
        if (!isSameObject(old, now)) onChange();
      },
    });
  }
}

function keysOf({ podSelectors, references }: ConfigNeeds): readonly string[] {
  const configMaps = new Set(references.map(({ name }) => name));
  return [
    ...podSelectors.map((query) => `${POD.plural} ${query}`),
    ...[...configMaps].map((name) => `${CONFIG_MAP.plural} ${name}`),
  ];
}

function splitKey(key: string): readonly [plural: string, text: string] {
  const space = key.indexOf(' ');
  return [key.slice(0, space), key.slice(space + 1)];
}
