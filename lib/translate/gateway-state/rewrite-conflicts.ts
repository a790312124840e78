import type { RewriteState, SchedulerState } from '../gateway-state';
import type { ModelConflict } from './adapters';

/** A rule of an InferenceModelRewrite, and where it is: for messages. */
export interface PlacedRule {
  readonly rule: RewriteState;
  readonly where: string;
}

type Schedulers = ReadonlyArray<Pick<SchedulerState, 'namespace' | 'name' | 'modelName' | 'adapters'>>;

/**
 * Rules that never count, because another has their model: the scheduler that serves it, or a rule before them. `rules`: in
 * order of precedence.
 */
export function rewriteConflicts(rules: readonly PlacedRule[], schedulers: Schedulers): ModelConflict[] {
  const first = new Map<string, RewriteState>();
  const conflicts: ModelConflict[] = [];
  for (const { rule, where } of rules) {
    const own = nameOf(rule);
    if (rule.models.length === 0) {
      const key = JSON.stringify([own]);
      const before = first.get(key);
      if (before === undefined) first.set(key, rule);
      else
        conflicts.push({ schedulers: [own, own], message: `${where} never counts: ${before.name} has a rule for all` });
    }
    for (const model of new Set(rule.models)) {
      const server = schedulers.find(({ modelName, adapters }) => modelName === model || adapters.includes(model));
      const before = first.get(model);
      const why = whyNot(server?.name, own, before);
      if (why === undefined) first.set(model, rule);
      else {
        const message = `${where} never counts for model ${JSON.stringify(model)}: ${why}`;
        conflicts.push({ schedulers: [server?.name ?? (before === undefined ? own : nameOf(before)), own], message });
      }
    }
  }
  return conflicts;
}

function whyNot(server: string | undefined, own: string, before: RewriteState | undefined): string | undefined {
  if (server !== undefined && server !== own) {
    return `scheduler ${server} serves it, and only a rewrite whose poolRef names ${server} counts; name another model`;
  }
  return before && `${before.name} comes before it; remove one of the two, or name another model`;
}

/** Of the scheduler that it belongs to. */
function nameOf({ scheduler }: RewriteState): string {
  return scheduler.slice(scheduler.indexOf('/') + 1);
}
