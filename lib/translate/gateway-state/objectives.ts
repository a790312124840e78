import type { InferenceObjective } from '../../api/inference-objective';
import type { CheckedObject } from '../check-objects';
import type { ObjectiveState } from '../gateway-state';
import { sourceLine } from '../sourced-value';
import { foreignPool } from './pool-ref';

const LLM_D_GROUP = 'llm-d.ai/';

/**
 * The objectives of each scheduler, by its name; schedulers without any have no entry. Objects of one namespace and one
 * name can differ in their API group only: then llm-d's counts.
 */
export function objectivesByScheduler(
  objectives: ReadonlyArray<CheckedObject<InferenceObjective>>,
  schedulers: readonly { readonly name: string }[],
): { of: ReadonlyMap<string, readonly ObjectiveState[]>; warnings: readonly string[] } {
  const warnings: string[] = [];
  const byPool = new Map<string, Map<string, ObjectiveState>>();
  const sorted = [...objectives].sort((a, b) => Number(isLlmD(b.object)) - Number(isLlmD(a.object)));
  for (const { object, at } of sorted) {
    const { poolRef, priority = 0 } = object.spec;
    const { namespace, name } = object.metadata;
    const where = `${sourceLine(at, ['spec', 'poolRef'])} InferenceObjective ${namespace}/${name}`;
    const foreign = foreignPool(poolRef, schedulers);
    if (foreign !== undefined) {
      warnings.push(`${where}: ${foreign}: it is left out`);
      continue;
    }
    const pool = byPool.get(poolRef.name) ?? new Map<string, ObjectiveState>();
    byPool.set(poolRef.name, pool);
    if (pool.has(name)) warnings.push(`${where} is also there in the group llm-d.ai, which counts: it is left out`);
    else pool.set(name, { name, priority });
  }
  return { of: new Map([...byPool].map(([pool, named]) => [pool, [...named.values()]])), warnings };
}

function isLlmD({ apiVersion }: InferenceObjective): boolean {
  return apiVersion.startsWith(LLM_D_GROUP);
}
