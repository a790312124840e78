import { adapterList, type ConfigMap } from '../../api/config-map';
import { formatPath } from '../../api/validation/fault';
import type { CheckedObject } from '../check-objects';
import { type SourcedValue, sourceLine } from '../sourced-value';
import { byAge } from './by-age';

interface AdapterOwner {
  readonly name: string;
  readonly modelName?: string | undefined;
  readonly loraAdapters?: readonly string[] | undefined;
}

/** A model name that two schedulers claim. */
export interface ModelConflict {
  /** Both, the one that has the name first. */
  readonly schedulers: readonly [string, string];
  /** A sentence without its end. */
  readonly message: string;
}

/**
 * The LoRA adapters of each scheduler, by its name: `loraAdapters`, then those of the bbr-managed ConfigMaps of the
 * gateway's namespace whose `baseModel` is its model. A scheduler without a model takes all of them. An adapter claimed
 * twice stays with the first claim (a scheduler's before a ConfigMap's, then the oldest ConfigMap's): a request names
 * the adapter alone, and ConfigMaps belong to tenants, whose mistakes must not stop the others. `at` is where the
 * InferenceGatewayConfig was read.
 */
export function adaptersByScheduler(
  schedulers: readonly AdapterOwner[],
  at: SourcedValue,
  configMaps: ReadonlyArray<CheckedObject<ConfigMap>>,
): {
  of: ReadonlyMap<string, readonly string[]>;
  warnings: readonly string[];
  /** Those of the warnings that are about a name claimed twice. */
  conflicts: readonly ModelConflict[];
} {
  const warnings: string[] = [];
  const conflicts: ModelConflict[] = [];
  const models = new Map(schedulers.map((scheduler) => [scheduler.modelName, scheduler.name]));
  const ownerOf = new Map<string, string>();
  const claim = (adapter: string, owner: string, where: string) => {
    const claimed = claimedElsewhere(adapter, owner, ownerOf, models);
    const refusal = unusable(adapter) ?? claimed?.refusal;
    if (refusal === undefined) {
      if (models.get(adapter) !== owner) ownerOf.set(adapter, owner);
      return;
    }
    const warning = `${where}: adapter ${JSON.stringify(adapter)} ${refusal}: it is left out`;
    warnings.push(warning);
    if (claimed !== undefined) conflicts.push({ schedulers: [claimed.by, owner], message: warning });
  };

  for (const [index, { name, loraAdapters = [] }] of schedulers.entries()) {
    for (const [position, adapter] of loraAdapters.entries()) {
      const path = ['spec', 'schedulers', index, 'loraAdapters', position];
      claim(adapter, name, `${sourceLine(at, path)} ${formatPath(path)}`);
    }
  }
  for (const { object, at: source } of byAge(configMaps)) {
    const list = adapterList(object);
    if (list === undefined) continue;
    const where = `${sourceLine(source, ['data'])} ConfigMap ${object.metadata.name}`;
    const owner = models.get(list.baseModel) ?? models.get(undefined);
    if (owner === undefined) {
      warnings.push(`${where}: no scheduler serves its baseModel ${JSON.stringify(list.baseModel)}`);
      continue;
    }
    for (const adapter of list.adapters) claim(adapter, owner, where);
  }

  const of = new Map<string, string[]>(schedulers.map(({ name }) => [name, []]));
  for (const [adapter, owner] of ownerOf) of.get(owner)?.push(adapter);
  return { of, warnings, conflicts };
}

/** A model name travels as a header value. */
function unusable(adapter: string): string | undefined {
  if (adapter.length > 253) return 'is longer than 253 characters';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return /[\x00-\x1f\x7f]/.test(adapter) ? 'has control characters' : undefined;
}

function claimedElsewhere(
  adapter: string,
  owner: string,
  ownerOf: ReadonlyMap<string, string>,
  models: ReadonlyMap<string | undefined, string>,
): { readonly by: string; readonly refusal: string } | undefined {
  const model = models.get(adapter);
  if (model !== undefined && model !== owner) return { by: model, refusal: `is the model of scheduler ${model}` };
  const other = ownerOf.get(adapter);
  if (other === undefined || other === owner) return undefined;
  return { by: other, refusal: `belongs to scheduler ${other} already` };
}
