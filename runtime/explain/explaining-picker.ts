import type {
  EndpointPicker,
  PendingPick,
  PickedEndpoints,
  PickRequest,
  PickResult,
  Ticket,
} from '../endpoint-picker/endpoint-picker';
import type { Explanation } from '../endpoint-picker/scheduling/explanation';

/** A decision and what became of it. Every string is from the configuration, from Envoy or of a closed set. */
export interface EndedDecision {
  /** `namespace/name`. */
  readonly scheduler: string;
  /** The model that serves; `other` where the configuration does not name it. */
  readonly model: string;
  /** `ip:port` that was picked. */
  readonly endpoint: string;
  /** `ip:port` that served, where it is another one. */
  readonly servedBy?: string;
  /** HTTP status; absent where no response came. */
  readonly status?: number;
  /** Milliseconds from the wish for a decision to the decision; what it was held for included. */
  readonly pickMs: number;
  /** Milliseconds from the decision to the end of the request. */
  readonly durationMs: number;
  /** Milliseconds from the decision to the first token: as it was expected, and as it came. */
  readonly predictedTtftMs?: number;
  readonly observedTtftMs?: number;
  readonly explanation?: Explanation;
}

/** The leave to take one decision. */
export interface Turn {
  /** Nothing came of it: the request was refused. */
  giveBack(): void;
}

export interface ExplainingOptions {
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** A model's name, or `other`. */
  readonly modelName: (model: string) => string;
  /** Whether to have the next decision of this scheduler explained; undefined: not. */
  readonly takes: (scheduler: string) => Turn | undefined;
  /** A decision that was taken, or whose first token was watched for, is over. Called once for each. */
  ended(decision: EndedDecision): void;
}

/** A picker that tells how some of its decisions turned out. It decides as the one it wraps does. */
export function explainingPicker(picker: EndpointPicker, options: ExplainingOptions): EndpointPicker {
  const { clock, takes } = options;

  function pickFor(request: PickRequest, turn: Turn | undefined): PickResult | PendingPick {
    // Reading a clock costs as much as a pick in a small pool.
    const askedAt = turn === undefined ? undefined : clock();
    const result = picker.pick(request);
    if ('outcome' in result) return watched(result, request, turn, askedAt, options);
    const heldAt = askedAt ?? clock();
    const settled = result.result.then(
      (late) => watched(late, request, turn, heldAt, options),
      (error: unknown): never => {
        turn?.giveBack();
        throw error;
      },
    );
    return { result: settled, cancel: () => result.cancel() };
  }

  return {
    pick(request) {
      const turn = takes(request.scheduler);
      if (turn === undefined) return pickFor(request, undefined);
      try {
        return pickFor({ ...request, explain: true }, turn);
      } catch (error) {
        turn.giveBack();
        throw error;
      }
    },
  };
}

function watched(
  result: PickResult,
  request: PickRequest,
  turn: Turn | undefined,
  askedAt: number | undefined,
  options: ExplainingOptions,
): PickResult {
  if (result.outcome !== 'picked') {
    turn?.giveBack();
    return result;
  }
  const taken = turn !== undefined;
  if (!(taken || result.sampleFirstToken)) return result;
  const ticket = watchedTicket(result, request, taken, askedAt, options);
  return { ...result, ticket, sampleFirstToken: true };
}

function watchedTicket(
  { endpoints, ticket, explanation, predictedTtftMs, sampleFirstToken }: PickedEndpoints,
  { scheduler, model }: PickRequest,
  taken: boolean,
  askedAt: number | undefined,
  { clock, modelName, ended }: ExplainingOptions,
): Ticket {
  const decidedAt = clock();
  const endpoint = endpoints[0]!;
  let servedBy: string | undefined;
  let observedTtftMs: number | undefined;
  let over = false;
  return {
    served(address, attempts, status) {
      servedBy = address === endpoint ? undefined : address;
      ticket.served(address, attempts, status);
    },
    firstToken() {
      observedTtftMs ??= clock() - decidedAt;
      if (sampleFirstToken) ticket.firstToken();
    },
    done(status) {
      ticket.done(status);
      if (over) return;
      over = true;
      ended({
        scheduler,
        model: modelName(model),
        endpoint,
        ...(servedBy !== undefined && { servedBy }),
        ...(status !== undefined && { status }),
        pickMs: decidedAt - (askedAt ?? decidedAt),
        durationMs: clock() - decidedAt,
        ...(predictedTtftMs !== undefined && { predictedTtftMs }),
        ...(observedTtftMs !== undefined && { observedTtftMs }),
        ...(taken && explanation !== undefined && { explanation }),
      });
    },
  };
}
