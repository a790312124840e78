import type { RefusalName } from './errors';
import type { GatewayReply } from './gateway-endpoints';

/** What telemetry hears of the router. Every string is a name from the configuration or of a closed set, never input. */
export interface BodyRouterObserver {
  /** A request left for a scheduler's endpoint. */
  requestRouted(request: RoutedRequest): void;
  /** A request was refused. `scheduler` where one had been found. */
  requestRefused(refusal: RefusalName, scheduler?: string): void;
  /** A request left for the default backend. */
  requestDefaulted(): void;
  /** The gateway answered by itself. */
  requestAnswered(endpoint: GatewayReply['endpoint']): void;
}

export interface RoutedRequest {
  /** `namespace/name`. */
  readonly scheduler: string;
  /** The model that serves; `other` where the configuration does not name it. */
  readonly model: string;
  readonly bodyBytes: number;
  /** From the last byte of the request to its answer, in milliseconds; scanning, hashing and the pick. */
  readonly decisionMs: number;
  /** Where an InferenceModelRewrite chose the model. */
  readonly rewrite?: {
    /** `namespace/name`. */
    readonly name: string;
    /** The model that the client asked for; `other` where the configuration does not name it. */
    readonly from: string;
  };
}
