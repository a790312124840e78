import type { EngineMetrics } from '../../endpoint-picker/engine-metrics';
import { createEngine, type Engine } from '../engine/engine';
import { BLOCK_TOKENS, type EngineEvent, type RequestId } from '../engine/types';
import type { FleetRequest } from './fleet-request';
import type { PodSpec } from './fleet-run';
import type { FleetPod, RequestTicket } from './policy';

/** A request that a pod has taken. */
export interface LiveRequest {
  readonly request: FleetRequest;
  readonly ticket: RequestTicket | undefined;
  /** Seconds of the virtual clock; NaN before it. */
  firstTokenAt: number;
}

/** A pod over its lives: each begins with an empty engine. */
export interface SimulatedPod extends FleetPod {
  ready: boolean;
  lost: boolean;
  submit(now: number, id: number, live: LiveRequest): void;
  advance(now: number): readonly EngineEvent[];
  nextEventTime(): number;
  /** Hands over a request whose end has come. */
  take(id: RequestId): LiveRequest;
  live(id: RequestId): LiveRequest;
  setSpeed(factor: number): void;
  /** The engine and all its requests are gone; returns those. */
  lose(): LiveRequest[];
  /** A new, empty engine. */
  start(): void;
}

export function createSimulatedPod(
  number: number,
  spec: PodSpec,
  now: () => number,
  random: () => number,
): SimulatedPod {
  const { parameters } = spec;
  const requests = new Map<RequestId, LiveRequest>();
  let engine: Engine;
  let speed = 1;
  const start = () => {
    engine = createEngine(parameters, random, { tokenEvents: false });
    if (speed !== 1) engine.setSpeed(speed);
  };
  start();

  return {
    number,
    address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}:8000`,
    name: `fleet/pod-${number}`,
    ready: !spec.absent,
    lost: spec.absent,
    get engine() {
      return engine;
    },
    get prefillTokensPerSecond() {
      return parameters.prefillTokensPerSecond * speed;
    },
    metrics() {
      engine.advance(now());
      return metricsOf(engine, parameters.maxLora);
    },
    submit(now, id, live) {
      requests.set(id, live);
      const { promptTokens, outputTokens, blocks, adapter } = live.request;
      engine.submit(now, { id, promptTokens, outputTokens, blocks, ...(adapter !== undefined && { adapter }) });
    },
    advance: (now) => engine.advance(now),
    nextEventTime: () => engine.nextEventTime(),
    take(id) {
      const live = requests.get(id)!;
      requests.delete(id);
      return live;
    },
    live: (id) => requests.get(id)!,
    setSpeed(factor) {
      speed = factor;
      // An engine that stands at its last event would change its speed then.
      engine.advance(now());
      engine.setSpeed(factor);
    },
    lose() {
      const gone = [...requests.values()];
      requests.clear();
      start();
      return gone;
    },
    start,
  };
}

function metricsOf(engine: Engine, slots: number): EngineMetrics {
  const snapshot = engine.snapshot();
  const running = new Set(snapshot.runningAdapters);
  const waiting = new Set(snapshot.waitingAdapters);
  return {
    waiting: snapshot.waiting,
    running: snapshot.running,
    kvUsage: snapshot.kvUsage,
    adapters: slots === 0 ? undefined : { running, waiting, distinct: new Set([...running, ...waiting]).size, slots },
    kvCapacityTokens: snapshot.totalBlocks * BLOCK_TOKENS,
    counters: snapshot.counters,
  };
}
