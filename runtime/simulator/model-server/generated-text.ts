const WORDS = (
  'the model of a city by the river is never at rest and every street holds its own small story about light stone water ' +
  'bread or rain people walk slowly between markets bridges gardens while bells mark hours that nobody counts yet in winter ' +
  'windows shine over quiet squares where children learn old songs from patient teachers who still remember summer'
).split(' ');

/** The output token `index` of the answer that `seed` determines, as text: a word with its leading space, now and then a full stop. */
export function generatedToken(seed: number, index: number): string {
  const word = WORDS[mix(seed, index) % WORDS.length]!;
  const opensSentence = index === 0 || endsSentence(seed, index - 1);
  const text = opensSentence ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  return `${index === 0 ? '' : ' '}${text}${endsSentence(seed, index) ? '.' : ''}`;
}

/** Tokens after which the answer would end by itself: 24..119. */
export function naturalLength(seed: number): number {
  return 24 + (mix(seed, 0x5f3759df) % 96);
}

function endsSentence(seed: number, index: number): boolean {
  return mix(seed ^ 0x2545f491, index) % 12 === 0;
}

function mix(seed: number, index: number): number {
  let hash = Math.imul((seed >>> 0) ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
