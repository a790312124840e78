import type { Sizes } from '../scenarios/sizes';
import { createLognormal, createWeightedChoice } from './distributions';

/** Gives the size of each next prompt or answer: whole tokens, at least 1. */
export function createSizes(sizes: Sizes, random: () => number): () => number {
  if (sizes.kind === 'constant') return () => sizes.tokens;
  if (sizes.kind === 'mixture') {
    const choose = createWeightedChoice(
      sizes.parts.map(({ weight }) => weight),
      random,
    );
    const parts = sizes.parts.map((part) => createSizes(part.sizes, random));
    return () => parts[choose()]!();
  }
  const draw = createLognormal(sizes.mean, sizes.cv, random);
  const max = sizes.max ?? Number.MAX_SAFE_INTEGER;
  return () => Math.min(max, Math.max(1, Math.round(draw())));
}
