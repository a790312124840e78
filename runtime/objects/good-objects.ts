import { formatPath } from '../../lib/api/validation/fault';
import { propertyAt, textOf } from '../../lib/api/validation/loose';
import { validateObject } from '../../lib/api/validation/validate-object';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { parseEndpointPickerConfig } from '../../lib/translate/gateway-state/endpoint-picker-config';
import { faultLine } from '../../lib/translate/sourced-value';
import { resourceName } from '../kubernetes/resource-path';
import { resourceOf } from '../kubernetes/resources';
import type { PickerReference } from './config-needs';

export interface Choice {
  readonly objects: readonly KubernetesObject[];
  /** References whose ConfigMap is among them, and can be read. */
  readonly followed: ReadonlySet<PickerReference>;
  /** A sentence for each object that does not count as it is. */
  readonly faults: readonly string[];
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

/**
 * The objects that others than the gateway's author have written, one by one: a faulty one counts as it was when it was
 * last good, or not at all, so that nobody's mistake keeps what others do from coming into force.
 */
export class GoodObjects {
  private last = new Map<string, KubernetesObject>();
  /** An object that has not changed is the same one, so that each is looked at once. */
  private readonly checked = new WeakMap<KubernetesObject, readonly string[]>();

  choose(present: readonly KubernetesObject[], references: readonly PickerReference[]): Choice {
    const good = new Map<string, KubernetesObject>();
    const faults: string[] = [];
    for (const object of present) {
      const key = keyOf(object);
      const wrong = [...this.faultsOf(object), ...referenceFaults(object, references)];
      const former = this.last.get(key);
      const counting = wrong.length === 0 ? object : former;
      if (counting !== undefined) good.set(key, counting);
      faults.push(...wrong.map((fault) => `${fault}; ${former === undefined ? 'it is left out' : AS_BEFORE}`));
    }
    for (const { scheduler, name } of references) {
      const key = keyOf({ ...CONFIG_MAP, metadata: { name } });
      const former = this.last.get(key);
      if (former === undefined || good.has(key)) continue;
      good.set(key, former);
      faults.push(`configmaps/${name} is gone, and scheduler ${scheduler} refers to it; ${AS_BEFORE}`);
    }
    this.last = good;
    return {
      objects: [...good.values()],
      followed: new Set(references.filter((one) => isFollowed(one, good))),
      faults: [...new Set(faults)],
    };
  }

  private faultsOf(object: KubernetesObject): readonly string[] {
    let faults = this.checked.get(object);
    if (faults === undefined) {
      const result = validateObject(object);
      faults = 'faults' in result ? result.faults.map(({ path, message }) => line(object, path, message)) : [];
      this.checked.set(object, faults);
    }
    return faults;
  }
}

const AS_BEFORE = 'it counts as it was before';

/** How messages call an object: `configmaps/adapters`. */
export function sourceOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return `${resourceName(resourceOf(apiVersion, kind))}/${metadata.name}`;
}

/** Of a ConfigMap that schedulers refer to. */
function referenceFaults(object: KubernetesObject, references: readonly PickerReference[]): readonly string[] {
  return references
    .filter(({ name }) => object.kind === CONFIG_MAP.kind && object.metadata.name === name)
    .flatMap(({ scheduler, type, key }) => {
      const text = textOf(propertyAt(object, 'data', key));
      if (text === undefined)
        return [line(object, ['data'], `has no key ${key}, to which scheduler ${scheduler} refers`)];
      const parsed = parseEndpointPickerConfig(text, type);
      if (!('faults' in parsed)) return [];
      return parsed.faults.map(({ path, message }) => {
        const inner = formatPath(path);
        return line(object, ['data', key], inner === '' ? message : `${inner}: ${message}`);
      });
    });
}

function isFollowed({ name, key, type }: PickerReference, good: ReadonlyMap<string, KubernetesObject>): boolean {
  const text = textOf(propertyAt(good.get(keyOf({ ...CONFIG_MAP, metadata: { name } })), 'data', key));
  return text !== undefined && !('faults' in parseEndpointPickerConfig(text, type));
}

function keyOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return `${apiVersion} ${kind} ${metadata.name}`;
}

function line(object: KubernetesObject, path: ReadonlyArray<string | number>, message: string): string {
  return faultLine({ source: sourceOf(object), value: object }, path, message);
}
