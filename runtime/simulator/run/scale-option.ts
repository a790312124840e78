import type { EngineScale } from './engine-scale';
import { didYouMean, optionList } from './option-list';

/** A factor beyond says nothing of the hardware any more. */
const LEAST = 0.1;
const MOST = 10;

/** Reads `--scale`: `0.7` for everything, or such as `prefill=0.7,kv=1.3`. Throws an error that names the part that is wrong. */
export function readScale(text: string): EngineScale {
  const scale = { prefill: 1, decode: 1, kv: 1 };
  const parts = optionList(text);
  if (parts.length === 0) throw new Error('--scale: names no factor; expected 0.7, or such as prefill=0.7,kv=1.3');
  for (const part of parts) {
    const [name = '', value] = part.split('=');
    const factor = Number(value ?? name);
    if (!(factor >= LEAST && factor <= MOST)) {
      throw new Error(`--scale ${part}: expected a factor from ${LEAST} to ${MOST}, such as 0.7 or prefill=0.7`);
    }
    if (value === undefined) {
      scale.prefill = scale.decode = scale.kv = factor;
    } else if (Object.hasOwn(scale, name)) {
      scale[name as keyof EngineScale] = factor;
    } else {
      const hint = didYouMean(name, Object.keys(scale)) ?? 'expected prefill, decode or kv';
      throw new Error(`--scale ${part}: there is no factor ${name}; ${hint}`);
    }
  }
  return scale;
}
