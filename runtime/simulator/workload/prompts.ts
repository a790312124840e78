import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import { BLOCK_TOKENS } from '../engine/types';
import type { FleetRequest } from '../fleet/fleet-request';
import type { Scenario } from '../scenarios/scenario';
import { type BlockIds, createBlockIds, hashedBlocks } from './block-ids';
import { createWeightedChoice } from './distributions';
import { createSizes } from './sizes';

export type Prompt = Pick<FleetRequest, 'promptTokens' | 'blocks' | 'prefixHashes'>;

export interface PromptStreams {
  readonly sizes: () => number;
  readonly prefixes: () => number;
}

/** What prompts have in common: the prefix of a group, or a whole prompt that is asked for again. */
interface SharedText {
  readonly tokens: number;
  readonly blocks: readonly number[];
  /** By adapter number, as the router salts hashes with the model's name. */
  readonly hashes: Map<number, readonly BlockHash[]>;
}

const NO_BLOCKS: readonly number[] = [];

/** What all prompts of a run have in common: none that is asked for by one band is new to another. */
export interface PromptTexts {
  readonly ids: BlockIds;
  /** By group, and by number of the prompt; made when they are first asked for. */
  readonly prefixes: Map<number, SharedText>;
  readonly prompts: Map<number, SharedText>;
}

export function createPromptTexts(): PromptTexts {
  return { ids: createBlockIds(1), prefixes: new Map(), prompts: new Map() };
}

/**
 * Gives each next prompt, for the adapter of this number (any number for the base model, always the same); what is not
 * shared of it is `size` times as long as usual.
 */
export function createPrompts(
  { promptTokens, prefixes }: Pick<Scenario, 'promptTokens' | 'prefixes'>,
  streams: PromptStreams,
  { ids, prefixes: prefixTexts, prompts: promptTexts }: PromptTexts = createPromptTexts(),
): (adapter: number, size?: number) => Prompt {
  const drawTokens = createSizes(promptTokens, streams.sizes);
  const privateTokens = (size: number) => Math.max(1, Math.round(drawTokens() * size));
  if (prefixes === undefined) {
    return (_adapter, size = 1) => {
      const tokens = privateTokens(size);
      return { promptTokens: tokens, blocks: NO_BLOCKS, prefixHashes: ids.extend(NO_BLOCKS, hashedBlocks(tokens)) };
    };
  }
  const { groups, tokens: prefixTokens, zipf, promptsPerGroup } = prefixes;
  const chooseGroup = createWeightedChoice(
    Array.from({ length: groups }, (_, index) => (index + 1) ** -zipf),
    streams.prefixes,
  );

  function prefixOf(group: number): SharedText {
    return remember(prefixTexts, group, () => sharedText(prefixTokens, NO_BLOCKS));
  }

  function sharedText(tokens: number, leading: readonly number[]): SharedText {
    return { tokens, blocks: ids.extend(leading, Math.floor(tokens / BLOCK_TOKENS)), hashes: new Map() };
  }

  function hashesOf(text: SharedText, adapter: number, leading: readonly BlockHash[]): readonly BlockHash[] {
    return remember(text.hashes, adapter, () => ids.extend(leading, hashedBlocks(text.tokens)));
  }

  return (adapter, size = 1) => {
    const group = chooseGroup();
    const prefix = prefixOf(group);
    const prefixHashes = hashesOf(prefix, adapter, NO_BLOCKS);
    if (promptsPerGroup === undefined) {
      const tokens = prefixTokens + privateTokens(size);
      return {
        promptTokens: tokens,
        blocks: prefix.blocks,
        prefixHashes: ids.extend(prefixHashes, hashedBlocks(tokens)),
      };
    }
    const number = group * promptsPerGroup + Math.floor(streams.prefixes() * promptsPerGroup);
    const prompt = remember(promptTexts, number, () => sharedText(prefixTokens + privateTokens(size), prefix.blocks));
    return {
      promptTokens: prompt.tokens,
      blocks: prompt.blocks,
      prefixHashes: hashesOf(prompt, adapter, prefixHashes),
    };
  };
}

function remember<Value>(values: Map<number, Value>, key: number, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    values.set(key, value);
  }
  return value;
}
