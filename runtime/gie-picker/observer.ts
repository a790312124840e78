import type { BodyRouterObserver } from '../body-router/observer';
import type { TokenUsage } from './usage/token-usage';

/** What telemetry hears of a picker. Every string is a name from the configuration or of a closed set, never input. */
export interface GieObserver extends Pick<BodyRouterObserver, 'requestRouted' | 'requestRefused'> {
  /**
   * A response is over, or cut off, that has told its usage. Where nobody listens, response bodies are not asked for
   * unless a model's name is to be set back in them.
   */
  requestUsed?(request: UsedRequest): void;
}

export interface UsedRequest {
  /** `namespace/name`. */
  readonly scheduler: string;
  /** The model that served; `other` where the configuration does not name it. */
  readonly model: string;
  readonly usage: TokenUsage;
}
