import type { InferenceGatewayConfig } from '../../lib/api/inference-gateway-config/inference-gateway-config';
import type { Fault } from '../../lib/api/validation/fault';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { faultLine } from '../../lib/translate/sourced-value';
import { type ConfigNeeds, needsOf } from './config-needs';
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
  /** That of the last run, which goes on where the first that is found has faults. */
  readonly last?: KubernetesObject | undefined;
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
    const checked = this.check(object);
    if (!('faults' in checked)) {
      this.next = checked;
      return false;
    }
    if (this.current === undefined) this.next = this.ofLastRun();
    const at = { source: sourceOf(object), value: object };
    const outcome =
      this.current !== undefined
        ? 'the last good config stays in force'
        : this.next !== undefined
          ? 'that of the last run goes on'
          : 'nothing is in force yet';
    this.faults = checked.faults.map(({ path, message }) => `${faultLine(at, path, message)}; ${outcome}`);
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

  private check(object: KubernetesObject): UsableConfig | { readonly faults: readonly Fault[] } {
    const checked = validateObject(object);
    if (!('object' in checked)) return { faults: 'faults' in checked ? checked.faults : [] };
    const config = checked.object as InferenceGatewayConfig;
    const { own, pods } = this.options;
    return { config, object, needs: needsOf(config, own, pods) };
  }

  private ofLastRun(): UsableConfig | undefined {
    const { last } = this.options;
    const checked = last && this.check(last);
    return checked === undefined || 'faults' in checked ? undefined : checked;
  }
}
