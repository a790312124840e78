import type { PromptTokens } from './kv-events/prompt-tokens';
import type { TokenizeRequest } from './kv-events/tokenize-request';
import type { Explanation } from './scheduling/explanation';

/**
 * The seam between the Body-Based Router and an Endpoint Picker. In one process it is a call; between processes it is
 * the same messages on a connection. Bodies never cross it.
 */
export interface EndpointPicker {
  /** Chooses the endpoints for one request and, when it does, enters the request in the in-flight ledger. */
  pick(request: PickRequest): PickResult | PendingPick;
}

/** A pick that is not made yet: the request is held, or its prompt is being read. */
export interface PendingPick {
  /** Never rejects but for a fault of the picker. */
  readonly result: Promise<PickResult>;
  /**
   * Nobody waits for the request any more: it leaves its queue, and `result` becomes `cancelled`. Where the pick is made
   * already nothing happens, and its ticket is still the caller's. Idempotent.
   */
  cancel(): void;
}

export interface PickRequest {
  /** The scheduler, as `namespace/name`. */
  readonly scheduler: string;
  /** The model as the model server will see it: an adapter or the base model. */
  readonly model: string;
  /** The LoRA adapter, where `model` is one. */
  readonly adapter?: string;
  /** Bytes of prompt in the request; a token is taken as 4 bytes. */
  readonly promptBytes: number;
  /** `max_tokens` or `max_completion_tokens` of the request. */
  readonly maxOutputTokens?: number;
  /** `n` of the request, at least 2: answers to one prompt. Default 1. */
  readonly answers?: number;
  /** Chained hashes of the prompt's whole blocks, first block first; salted with the model. */
  readonly prefixHashes: readonly BlockHash[];
  /** Of its `InferenceObjective`: above 0 Critical, 0 Standard, below 0 Sheddable. Default 0. */
  readonly priority?: number;
  /** Who shares fairly with others of the band. Default: the tenant without a name. */
  readonly tenant?: string;
  /** Bytes that lie in the router as long as the request is held. Default `promptBytes`. */
  readonly bodyBytes?: number;
  /** Milliseconds that the request has been held before, by a replica that is gone. Default 0. */
  readonly heldMs?: number;
  /**
   * Only these endpoints may be chosen, each `ip:port`, or `ip` for any port there. Default: all of the pool. With flow
   * control such a request never waits: it is `saturated` where none of them has room.
   */
  readonly subset?: readonly string[];
  /** Ask for `PickedEndpoints.explanation`. */
  readonly explain: boolean;
  /**
   * How to learn the prompt's tokens, for schedulers whose pods publish KV events; undefined where they cannot be had.
   * Reads the body, so call it once and at once. It does not cross processes: a remote picker decides by the hashes.
   */
  readonly tokenizable?: () => TokenizeRequest | undefined;
  /** The prompt's tokens, where they are known. */
  readonly tokens?: PromptTokens;
}

/** A non-negative integer below 2^53: hash of a prompt block and of all blocks before it. */
export type BlockHash = number;

export type PickResult = PickedEndpoints | PickRefused | NoAnswer;

/** No picker answered in time. The router names the pool but no endpoint, and Envoy balances. */
interface NoAnswer {
  readonly outcome: 'no-answer';
}

export interface PickedEndpoints {
  readonly outcome: 'picked';
  /** `ip:port`, the choice first, then fallbacks in order. Never empty. */
  readonly endpoints: readonly string[];
  /** The request's entry in the ledger; its `done` must be called. */
  readonly ticket: Ticket;
  /** Milliseconds to the first token, as the picker expects; absent where that is not known. */
  readonly predictedTtftMs?: number;
  /** Present when it was asked for. */
  readonly explanation?: Explanation;
  /** Watch this answer, if it is a stream, and call `ticket.firstToken` when its first token passes. */
  readonly sampleFirstToken?: boolean;
  /** Leading blocks of the prompt that the choice is held to have cached; for recordings. */
  readonly matchedBlocks?: number;
}

/**
 * `saturated`: no pod can start the request within `spec.overload.maxQueueTime`; 429.
 * `queue-full`: it would have to wait, and as much waits in its band as may; 429.
 * `expired`: it has waited for its turn as long as its band allows; 429.
 * `no-endpoints`: no pod is ready, and none became ready while the request was held, or none of the asked subset; 503.
 * `shutting-down`: the picker is; 503.
 * `cancelled`: as its caller wished; no answer.
 */
export type Refusal = 'saturated' | 'queue-full' | 'expired' | 'no-endpoints' | 'shutting-down' | 'cancelled';

export interface PickRefused {
  readonly outcome: Refusal;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number;
}

/** One request in the ledger. Every method may be called late, twice or never without harm, except `done`: once. */
export interface Ticket {
  /**
   * Response headers came, from this `ip:port`; it need not be the endpoint that was picked. Undefined: nobody knows from
   * where, or the proxy has answered by itself and no endpoint is at fault; then the request says nothing against one.
   * `attempts`: connections that were tried for it, the last one included; default 1. Those before it, in the order of
   * `endpoints`, failed. `status`: of the response, where it is known.
   */
  served(address: string | undefined, attempts?: number, status?: number): void;
  /** The first token of a streamed answer has just passed. Only where it was asked for. */
  firstToken(): void;
  /**
   * The request is over. `status`: HTTP status of the response, undefined when none came; where nobody has `served`, it is
   * that of the proxy's own reply, after the first endpoint failed. Idempotent.
   */
  done(status?: number): void;
}
