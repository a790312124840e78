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
): { of: ReadonlyMap<string, readonly string[]>; warnings: readonly string[] } {
  const warnings: string[] = [];
  const models = new Map(schedulers.map((scheduler) => [scheduler.modelName, scheduler.name]));
  const ownerOf = new Map<string, string>();
  const claim = (adapter: string, owner: string, where: string) => {
    const refusal = unusable(adapter) ?? claimedElsewhere(adapter, owner, ownerOf, models);
    if (refusal !== undefined) warnings.push(`${where}: adapter ${JSON.stringify(adapter)} ${refusal}: it is left out`);
    else if (models.get(adapter) !== owner) ownerOf.set(adapter, owner);
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
  return { of, warnings };
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
): string | undefined {
  const model = models.get(adapter);
  if (model !== undefined && model !== owner) return `is the model of scheduler ${model}`;
  const other = ownerOf.get(adapter);
  return other !== undefined && other !== owner ? `belongs to scheduler ${other} already` : undefined;
}
