import type { InferenceModelRewrite } from '../../api/inference-model-rewrite';
import type { CheckedObject } from '../check-objects';
import type { RewriteState, SchedulerState } from '../gateway-state';
import { sourceLine } from '../sourced-value';
import type { ModelConflict } from './adapters';
import { byAge } from './by-age';
import { foreignPool } from './pool-ref';
import { type PlacedRule, rewriteConflicts } from './rewrite-conflicts';

/** One entry a rule: exact rules before generic ones, of equals the oldest object's first, then as listed. */
export function compileRewrites(
  rewrites: ReadonlyArray<CheckedObject<InferenceModelRewrite>>,
  schedulers: readonly SchedulerState[],
): {
  rewrites: readonly RewriteState[];
  warnings: readonly string[];
  /** Those of the warnings that are about rules for a model that another has. */
  conflicts: readonly ModelConflict[];
} {
  const warnings: string[] = [];
  const exact: PlacedRule[] = [];
  const generic: PlacedRule[] = [];
  for (const { object, at } of byAge(rewrites)) {
    const name = `${object.metadata.namespace}/${object.metadata.name}`;
    const foreign = foreignPool(object.spec.poolRef, schedulers);
    if (foreign !== undefined) {
      warnings.push(`${sourceLine(at, ['spec', 'poolRef'])} InferenceModelRewrite ${name}: ${foreign}: it is left out`);
      continue;
    }
    for (const [index, rule] of object.spec.rules.entries()) {
      const where = `${sourceLine(at, ['spec', 'rules', index])} InferenceModelRewrite ${name} rule ${index}`;
      if (rule.targets === undefined) {
        warnings.push(`${where} has no targets: it rewrites nothing`);
        continue;
      }
      const compiled: RewriteState = {
        name,
        scheduler: `${object.metadata.namespace}/${object.spec.poolRef.name}`,
        models: (rule.matches ?? []).map(({ model }) => model.value),
        targets: rule.targets.map(({ modelRewrite, weight }) => ({ model: modelRewrite, weight: weight ?? 1 })),
      };
      for (const { model } of compiled.targets) {
        if (!isServed(model, schedulers)) {
          warnings.push(`${where}: no scheduler serves its target ${JSON.stringify(model)}; such requests get 404`);
        }
      }
      (compiled.models.length > 0 ? exact : generic).push({ rule: compiled, where });
    }
  }
  const rules = [...exact, ...generic];
  const conflicts = rewriteConflicts(rules, schedulers);
  warnings.push(...conflicts.map(({ message }) => message));
  return { rewrites: rules.map(({ rule }) => rule), warnings, conflicts };
}

function isServed(model: string, schedulers: readonly SchedulerState[]): boolean {
  return schedulers.some(
    ({ modelName, adapters }) => modelName === undefined || modelName === model || adapters.includes(model),
  );
}
