import { ADAPTER_LOAD_SECONDS } from '../adapter-wait';
import { NEUTRAL, type Scorer } from '../scorer';

/** The adapter fits without another one going. */
const FREE_SLOT = 0.8;

/** Where the request's LoRA adapter is loaded, else where it fits. A request for the base model is neutral. */
export const loraAffinity: Scorer = (candidates, request, scores) => {
  const { count, adapterSeconds } = candidates;
  for (let i = 0; i < count; i++) {
    const seconds = adapterSeconds[i]!;
    if (request.adapter === undefined) scores[i] = NEUTRAL;
    else if (seconds === 0) scores[i] = 1;
    else scores[i] = FREE_SLOT * Math.min(1, ADAPTER_LOAD_SECONDS / seconds);
  }
};
