import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import { BLOCK_TOKENS } from '../engine/types';
import type { FleetRequest } from '../fleet/fleet-request';
import type { Scenario } from '../scenarios/scenario';
import { createBlockIds, hashedBlocks } from './block-ids';
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

/** Gives each next prompt, for the adapter of this number (any number for the base model, always the same). */
export function createPrompts(
  { promptTokens, prefixes }: Pick<Scenario, 'promptTokens' | 'prefixes'>,
  streams: PromptStreams,
): (adapter: number) => Prompt {
  const ids = createBlockIds(1);
  const privateTokens = createSizes(promptTokens, streams.sizes);
  if (prefixes === undefined) {
    return () => {
      const tokens = privateTokens();
      return { promptTokens: tokens, blocks: NO_BLOCKS, prefixHashes: ids.extend(NO_BLOCKS, hashedBlocks(tokens)) };
    };
  }
  const { groups, tokens: prefixTokens, zipf, promptsPerGroup } = prefixes;
  const chooseGroup = createWeightedChoice(
    Array.from({ length: groups }, (_, index) => (index + 1) ** -zipf),
    streams.prefixes,
  );
  /** Made when they are first asked for. */
  const prefixTexts = new Map<number, SharedText>();
  const promptTexts = new Map<number, SharedText>();

  function prefixOf(group: number): SharedText {
    return remember(prefixTexts, group, () => sharedText(prefixTokens, NO_BLOCKS));
  }

  function sharedText(tokens: number, leading: readonly number[]): SharedText {
    return { tokens, blocks: ids.extend(leading, Math.floor(tokens / BLOCK_TOKENS)), hashes: new Map() };
  }

  function hashesOf(text: SharedText, adapter: number, leading: readonly BlockHash[]): readonly BlockHash[] {
    return remember(text.hashes, adapter, () => ids.extend(leading, hashedBlocks(text.tokens)));
  }

  return (adapter) => {
    const group = chooseGroup();
    const prefix = prefixOf(group);
    const prefixHashes = hashesOf(prefix, adapter, NO_BLOCKS);
    if (promptsPerGroup === undefined) {
      const tokens = prefixTokens + privateTokens();
      return {
        promptTokens: tokens,
        blocks: prefix.blocks,
        prefixHashes: ids.extend(prefixHashes, hashedBlocks(tokens)),
      };
    }
    const number = group * promptsPerGroup + Math.floor(streams.prefixes() * promptsPerGroup);
    const prompt = remember(promptTexts, number, () => sharedText(prefixTokens + privateTokens(), prefix.blocks));
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
