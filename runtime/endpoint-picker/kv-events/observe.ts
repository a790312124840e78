/** What precise prefix routing tells a telemetry module. Every argument is from the objects, never from a client. */
export interface KvEventsObserver {
  kvEvents(scheduler: string, kind: KvEventsKind): void;
  /** `milliseconds`: what the pick has waited for the prompt's tokens. */
  tokenized(scheduler: string, outcome: TokenizeOutcome, milliseconds: number): void;
}

/**
 * `applied`: a message of events was written into the index. `malformed`: one could not be read. `gap`: messages were
 * missed. `replayed`, `replay-failed`: how asking for missed messages ended. `forgotten`: a gap could not be filled, so
 * that what was known of the endpoint is no longer. `restarted`: the sequence went back. `lost`: the connection ended.
 */
export type KvEventsKind =
  | 'applied'
  | 'malformed'
  | 'gap'
  | 'replayed'
  | 'replay-failed'
  | 'forgotten'
  | 'restarted'
  | 'lost';

/**
 * `cached`: known from before. `ok`: a pod answered in time. `late`: the deadline passed first. `failed`: no pod gave
 * tokens. `busy`: too many requests for tokens are under way. `paused`: the last ones were late or failed.
 */
type TokenizeOutcome = 'cached' | 'ok' | 'late' | 'failed' | 'busy' | 'paused';
