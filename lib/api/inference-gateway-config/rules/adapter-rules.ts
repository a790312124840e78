import { items, property, textOf } from '../../validation/loose';
import type { Rule, Violation } from '../../validation/rule';

const TOO_COSTLY = 'comparing every adapter with every other exceeds the cost that the API server allows an expression';

/** Rules on adapter names: each must lead to one scheduler. */
export const adapterRules: readonly Rule[] = [
  {
    name: 'adapter-of-one-scheduler',
    at: ['spec'],
    message: 'a LoRA adapter must belong to one scheduler: remove it from the other, or serve it under another name',
    cel: { absentBecause: TOO_COSTLY },
    extension: true,
    violations: (spec) => {
      const owners = new Map<string, number>();
      return adaptersOf(spec).flatMap(({ adapter, scheduler, path }) => {
        const owner = owners.get(adapter) ?? scheduler;
        owners.set(adapter, owner);
        if (owner === scheduler) return [];
        return [{ path, detail: `${JSON.stringify(adapter)} is also in spec.schedulers[${owner}].loraAdapters` }];
      });
    },
  },
  {
    name: 'adapter-is-no-other-model',
    at: ['spec'],
    message: 'a LoRA adapter must not have the modelName of another scheduler: serve it under another name',
    cel: { absentBecause: TOO_COSTLY },
    extension: true,
    violations: (spec) => {
      const models = new Map<string, number>();
      for (const [index, scheduler] of items(property(spec, 'schedulers')).entries()) {
        const model = textOf(property(scheduler, 'modelName'));
        if (model !== undefined && !models.has(model)) models.set(model, index);
      }
      return adaptersOf(spec).flatMap(({ adapter, scheduler, path }): Violation[] => {
        const owner = models.get(adapter);
        if (owner === undefined || owner === scheduler) return [];
        return [{ path, detail: `${JSON.stringify(adapter)} is spec.schedulers[${owner}].modelName` }];
      });
    },
  },
];

interface ListedAdapter {
  readonly adapter: string;
  readonly scheduler: number;
  readonly path: readonly (string | number)[];
}

function adaptersOf(spec: unknown): ListedAdapter[] {
  return items(property(spec, 'schedulers')).flatMap((entry, scheduler) =>
    items(property(entry, 'loraAdapters')).flatMap((name, index) => {
      const adapter = textOf(name);
      return adapter === undefined
        ? []
        : [{ adapter, scheduler, path: ['schedulers', scheduler, 'loraAdapters', index] }];
    }),
  );
}
