import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import { isRecord, items, property, propertyAt } from '../../lib/api/validation/loose';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { faultLine } from '../../lib/translate/sourced-value';
import { type ConfigNeeds, needsOf, type PickerReference } from './config-needs';
import { sourceOf } from './good-objects';

/** A valid config, and what it needs. */
export interface UsableConfig {
  readonly config: InferenceGatewayConfig;
  /** The same, as read. */
  readonly object: KubernetesObject;
  readonly needs: ConfigNeeds;
}

export interface ConfigInUseOptions {
  /** Schedulers, by name, whose pods and picker files count. */
  readonly own: (scheduler: string) => boolean;
  /** Whether pods count. */
  readonly pods: boolean;
}

/** Which config counts: the newest that is valid and of which all that it needs is known. */
export class ConfigInUse {
  current: UsableConfig | undefined;
  /** Newer, and not yet known whole. */
  next: UsableConfig | undefined;
  /** Of the newest. */
  faults: readonly string[] = [];
  private seen: KubernetesObject | undefined;

  constructor(private readonly options: ConfigInUseOptions) {}

  /** Takes note of the config as it is now, undefined: there is none. True where one has gone. */
  look(object: KubernetesObject | undefined): boolean {
    if (object === this.seen) return false;
    this.seen = object;
    this.next = undefined;
    this.faults = [];
    if (object === undefined) return this.current !== undefined;
    const checked = validateObject(object);
    if ('object' in checked) {
      const config = checked.object as InferenceGatewayConfig;
      const { own, pods } = this.options;
      this.next = { config, object, needs: needsOf(config, own, pods) };
    } else if ('faults' in checked) {
      const at = { source: sourceOf(object), value: object };
      const outcome = this.current === undefined ? 'nothing is in force yet' : 'the last good config stays in force';
      this.faults = checked.faults.map(({ path, message }) => `${faultLine(at, path, message)}; ${outcome}`);
    }
    return false;
  }

  /** Goes on to the next one where `isKnown` says so of what it needs. */
  advance(isKnown: (needs: ConfigNeeds) => boolean): void {
    if (this.next === undefined || !isKnown(this.next.needs)) return;
    this.current = this.next;
    this.next = undefined;
  }

  /** Of the config that counts, and of the next. */
  needs(): readonly ConfigNeeds[] {
    return [this.current, this.next].flatMap((one) => (one === undefined ? [] : [one.needs]));
  }
}

/** The config as read, with no other references to ConfigMaps than these. */
export function withReferences(object: KubernetesObject, kept: ReadonlySet<PickerReference>): KubernetesObject {
  const indexes = new Set([...kept].map(({ index }) => index));
  const schedulers = items(propertyAt(object, 'spec', 'schedulers')).map((scheduler, index) => {
    if (!isRecord(scheduler) || indexes.has(index)) return scheduler;
    const { configMapRef: _, ...rest } = scheduler;
    return rest;
  });
  return { ...object, spec: { ...(property(object, 'spec') as object), schedulers } };
}
