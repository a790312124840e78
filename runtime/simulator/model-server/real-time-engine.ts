import type { Engine } from '../engine/engine';
import type { EngineEvent, EngineRequest, EngineSnapshot, RejectionReason, RequestId } from '../engine/types';

/** What a submitter hears of its request. */
interface RequestListener {
  /** One more output token exists; `cachedTokens` is how much of the prompt the cache held. */
  onToken(cachedTokens: number): void;
  onFinished(cachedTokens: number): void;
  onRejected(reason: RejectionReason): void;
}

/** An engine driven by the wall clock. */
export interface RealTimeEngine {
  readonly maxModelLen: number;
  /** Starts a request and returns its id, for `cancel`. */
  submit(request: Omit<EngineRequest, 'id'>, listener: RequestListener): RequestId;
  /** Drops the request; its listener hears no more. */
  cancel(id: RequestId): void;
  /** Engine seconds per wall second, relative to the speed at creation; 0 stops the engine's time. */
  setRate(rate: number): void;
  snapshot(): EngineSnapshot;
  close(): void;
}

/** Hears everything that happens in the engine, for metrics. Times are engine seconds. */
export interface EngineObserver {
  submitted(at: number, request: EngineRequest): void;
  happened(event: EngineEvent): void;
  cancelled(id: RequestId): void;
}

interface Live {
  readonly listener: RequestListener;
  cachedTokens: number;
}

/**
 * Drives `engine` at `speed` engine seconds per wall second; the timer's grain (1 ms) delays events, never step times.
 * `advanced` is called each time the engine has gone on.
 */
export function createRealTimeEngine(
  engine: Engine,
  speed: number,
  observer: EngineObserver,
  advanced: () => void = () => undefined,
): RealTimeEngine {
  const live = new Map<RequestId, Live>();
  let submitted = 0;
  let rate = speed;
  let wallBase = performance.now();
  let engineBase = 0;
  let timer: NodeJS.Timeout | undefined;

  const engineNow = () => engineBase + ((performance.now() - wallBase) / 1000) * rate;

  function schedule(): void {
    clearTimeout(timer);
    const next = engine.nextEventTime();
    if (rate === 0 || next === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(turn, Math.min(0x7fffffff, Math.max(0, ((next - engineNow()) / rate) * 1000)));
  }

  function turn(): void {
    for (const event of engine.advance(engineNow())) {
      observer.happened(event);
      tell(event);
    }
    advanced();
    schedule();
  }

  function tell(event: EngineEvent): void {
    switch (event.type) {
      case 'first-token': {
        const request = live.get(event.id);
        if (request !== undefined) request.cachedTokens = event.cachedTokens;
        break;
      }
      case 'tokens':
        for (const id of event.ids) {
          const request = live.get(id);
          request?.listener.onToken(request.cachedTokens);
        }
        break;
      case 'finished':
        take(event.id)?.onFinished(event.cachedTokens);
        break;
      case 'rejected':
        take(event.id)?.onRejected(event.reason);
        break;
      default:
        break;
    }
  }

  function take(id: RequestId): RequestListener | undefined {
    const listener = live.get(id)?.listener;
    live.delete(id);
    return listener;
  }

  return {
    maxModelLen: engine.maxModelLen,
    submit(request, listener) {
      const id = ++submitted;
      live.set(id, { listener, cachedTokens: 0 });
      const now = engineNow();
      observer.submitted(now, { ...request, id });
      engine.submit(now, { ...request, id });
      schedule();
      return id;
    },
    cancel(id) {
      if (!live.delete(id)) return;
      engine.cancel(id);
      observer.cancelled(id);
      schedule();
    },
    setRate(relative) {
      engineBase = engineNow();
      wallBase = performance.now();
      rate = speed * relative;
      schedule();
    },
    snapshot: () => engine.snapshot(),
    close() {
      clearTimeout(timer);
      rate = 0;
      live.clear();
    },
  };
}
