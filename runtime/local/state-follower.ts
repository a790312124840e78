import type { Logger } from 'pino';
import { type CompileOptions, compileGatewayState } from '../../lib/translate/compile-gateway-state';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { ObjectSet, ObjectSource } from '../objects/object-source';

/** The states that the objects of a source compile to, as they change. */
export interface StateFollower {
  /** Rejects with every fault of the objects when they cannot be used, unless it waits for better ones. */
  readonly first: Promise<GatewayState>;
  /** Calls back, one at a time, with the newest state whenever it has changed. A call that rejects is logged. */
  onChange(callback: (next: GatewayState) => Promise<void>): void;
  /** Resolves once no call is under way. */
  idle(): Promise<void>;
}

export interface FollowOptions {
  readonly compile?: CompileOptions;
  /** Faults before the first state are logged, and better objects are waited for. Default false. */
  readonly waits?: boolean;
  /** More that the authors of the objects should know; a sentence each. */
  readonly remarks?: (set: ObjectSet) => readonly string[];
  /** Called with each set that compiles. */
  readonly onGood?: (set: ObjectSet) => void;
}

/** Follows a source until `signal` aborts. Later faults are logged, and change nothing. */
export function followStates(
  source: ObjectSource,
  log: Logger,
  signal: AbortSignal,
  { compile, waits = false, remarks = () => [], onGood }: FollowOptions = {},
): StateFollower {
  let callback: ((next: GatewayState) => Promise<void>) | undefined;
  let waiting: GatewayState | undefined;
  let pumping: Promise<void> | undefined;
  let started = false;
  let told: ReadonlySet<string> = new Set();
  const { promise: first, resolve: resolveFirst, reject: rejectFirst } = Promise.withResolvers<GatewayState>();

  const pump = async (call: (next: GatewayState) => Promise<void>) => {
    while (waiting !== undefined && !signal.aborted) {
      const next = waiting;
      waiting = undefined;
      try {
        await call(next);
      } catch (error) {
        if (signal.aborted) break;
        log.error(
          { reason: (error as Error).message },
          'could not switch to the new configuration; the next edit tries again',
        );
      }
    }
    pumping = undefined;
  };
  const wake = () => {
    if (callback === undefined || waiting === undefined || pumping !== undefined || signal.aborted) return;
    pumping = pump(callback);
  };

  const onFault = (fault: Error) => {
    // Who waits has a source that says itself what comes of a fault.
    if (waits) log.error(fault.message);
    else if (started) log.error(`configuration kept as it was: ${fault.message}`);
    else rejectFirst(fault);
  };
  const onObjects = (set: ObjectSet) => {
    const compiled = compileGatewayState(set.objects, compile);
    if ('faults' in compiled) {
      onFault(new Error(compiled.faults.join('\n')));
      return;
    }
    const warnings = [...remarks(set), ...compiled.warnings];
    for (const warning of warnings) if (!told.has(warning)) log.warn(warning);
    told = new Set(warnings);
    onGood?.(set);
    if (!started) {
      started = true;
      resolveFirst(compiled.state);
      return;
    }
    waiting = compiled.state;
    wake();
  };
  source.watch(onObjects, onFault, signal).catch((error: Error) => onFault(error));

  return {
    first,
    onChange(next) {
      callback = next;
      wake();
    },
    idle: async () => await pumping,
  };
}
