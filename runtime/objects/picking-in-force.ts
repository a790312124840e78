import { isRecord, items, property, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { faultLine } from '../../lib/translate/sourced-value';
import type { PickerReference } from './config-needs';
import { type Choice, sourceOf } from './good-objects';

/** The fields of a scheduler that say how it picks. */
const PICKING: readonly string[] = ['scheduler', 'weights', 'profile', 'configMapRef'];

type Fields = Readonly<Record<string, unknown>>;

interface Picking {
  readonly fields: Fields;
  /** To which they refer, as it was. */
  readonly configMap: KubernetesObject | undefined;
}

/**
 * How schedulers pick whose config refers to a ConfigMap that cannot be used: as they did before. One that has not
 * picked before, after a start or because it is new, takes the default weights: to serve nothing would be worse.
 */
export class PickingInForce {
  /** By scheduler. */
  private last = new Map<string, Picking>();

  /** The objects that count, the config first; and a sentence for each reference that is not followed. */
  settle(
    config: KubernetesObject,
    references: readonly PickerReference[],
    { objects, followed }: Choice,
  ): { readonly objects: readonly KubernetesObject[]; readonly faults: readonly string[] } {
    const byIndex = new Map(references.map((one) => [one.index, one]));
    const configMaps = new Map(objects.filter(isConfigMap).map((one) => [one.metadata.name, one]));
    const former = new Map<string, KubernetesObject>();
    const picking = new Map<string, Picking>();
    const faults: string[] = [];

    const schedulers = items(propertyAt(config, 'spec', 'schedulers')).map((scheduler, index) => {
      if (!isRecord(scheduler)) return scheduler;
      const name = String(scheduler.name);
      const reference = byIndex.get(index);
      if (reference === undefined ? !('configMapRef' in scheduler) : followed.has(reference)) {
        picking.set(name, pickingOf(scheduler, configMaps));
        return scheduler;
      }
      // Of a scheduler that others pick for.
      if (reference === undefined) return fieldsOf(scheduler, (key) => key !== 'configMapRef');
      const last = this.last.get(name);
      faults.push(fault(config, reference, last !== undefined));
      if (last === undefined) return fieldsOf(scheduler, (key) => key !== 'configMapRef');
      picking.set(name, last);
      if (last.configMap !== undefined) former.set(last.configMap.metadata.name, last.configMap);
      return { ...fieldsOf(scheduler, (key) => !PICKING.includes(key)), ...last.fields };
    });
    this.last = picking;
    const spec = { ...(property(config, 'spec') as object), schedulers };
    const gone = [...former.values()].filter(({ metadata }) => !configMaps.has(metadata.name));
    return { objects: [{ ...config, spec }, ...objects, ...gone], faults };
  }
}

function isConfigMap({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === 'v1' && kind === 'ConfigMap';
}

function pickingOf(scheduler: Fields, configMaps: ReadonlyMap<string, KubernetesObject>): Picking {
  const name = propertyAt(scheduler, 'configMapRef', 'name');
  const configMap = typeof name === 'string' ? configMaps.get(name) : undefined;
  return { fields: fieldsOf(scheduler, (key) => PICKING.includes(key)), configMap };
}

function fieldsOf(scheduler: Fields, isKept: (key: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(scheduler).filter(([key]) => isKept(key)));
}

function fault(config: KubernetesObject, { index, name, key, scheduler }: PickerReference, hasPicked: boolean): string {
  const path = ['spec', 'schedulers', index, 'configMapRef'];
  const instead = `scheduler ${scheduler} picks ${hasPicked ? 'as before' : 'by the default weights'} until there is`;
  const message = `there is no ConfigMap ${name} whose ${key} can be used; ${instead}`;
  return faultLine({ source: sourceOf(config), value: config }, path, message);
}
