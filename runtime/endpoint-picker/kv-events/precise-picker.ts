import type { EndpointPicker, PendingPick, PickRequest, PickResult } from '../endpoint-picker';
import type { PrecisePrefix } from './precise-prefix';
import type { PromptTokens } from './prompt-tokens';

const CANCELLED: PickResult = { outcome: 'cancelled', retryAfterSeconds: 1 };

/**
 * A picker that is told the tokens of prompts for schedulers whose pods publish KV events. Where they do not come
 * within the deadline it decides without them; what it decides over is what is known then.
 */
export function precisePicker(
  picker: EndpointPicker,
  precise: Pick<PrecisePrefix, 'covers' | 'tokens'>,
): EndpointPicker {
  function pickWith(request: PickRequest, tokens: PromptTokens | undefined): PickResult | PendingPick {
    return picker.pick(tokens === undefined ? request : { ...request, tokens });
  }

  /** Where the client goes while the tokens are awaited, nothing is picked. */
  function pickAfter(request: PickRequest, tokens: Promise<PromptTokens | undefined>): PendingPick {
    let cancelled = false;
    let pending: PendingPick | undefined;
    const result = tokens.then((known): PickResult | Promise<PickResult> => {
      if (cancelled) return CANCELLED;
      const picked = pickWith(request, known);
      if ('outcome' in picked) return picked;
      pending = picked;
      return picked.result;
    });
    return {
      result,
      cancel() {
        cancelled = true;
        pending?.cancel();
      },
    };
  }

  return {
    pick(request) {
      // A prompt below one block has nothing to find.
      if (request.prefixHashes.length === 0 || !precise.covers(request.scheduler)) return picker.pick(request);
      const asked = request.tokenizable?.();
      if (asked === undefined) return picker.pick(request);
      const tokens = precise.tokens(request.scheduler, asked);
      return tokens instanceof Promise ? pickAfter(request, tokens) : pickWith(request, tokens);
    },
  };
}
