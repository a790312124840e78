import type { EndpointPicker, PickRequest, PickResult } from '../endpoint-picker';
import type { PrecisePrefix } from './precise-prefix';
import type { PromptTokens } from './prompt-tokens';

/**
 * A picker that is told the tokens of prompts for schedulers whose pods publish KV events. Where they do not come
 * within the deadline it decides without them; what it decides over is what is known then.
 */
export function precisePicker(
  picker: EndpointPicker,
  precise: Pick<PrecisePrefix, 'covers' | 'tokens'>,
): EndpointPicker {
  function pickWith(request: PickRequest, tokens: PromptTokens | undefined): PickResult | Promise<PickResult> {
    return picker.pick(tokens === undefined ? request : { ...request, tokens });
  }

  return {
    pick(request) {
      // A prompt below one block has nothing to find.
      if (request.prefixHashes.length === 0 || !precise.covers(request.scheduler)) return picker.pick(request);
      const asked = request.tokenizable?.();
      if (asked === undefined) return picker.pick(request);
      const tokens = precise.tokens(request.scheduler, asked);
      return tokens instanceof Promise ? tokens.then((known) => pickWith(request, known)) : pickWith(request, tokens);
    },
  };
}
