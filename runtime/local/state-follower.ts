import type { Logger } from 'pino';
import { compileGatewayState } from '../../lib/translate/compile-gateway-state';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { directorySource } from '../objects/directory-source';
import type { ObjectSet } from '../objects/object-source';
import { unservedFields } from './unserved-fields';

/** The states that the objects of some files compile to, as the files change. */
export interface StateFollower {
  /** Rejects with every fault of the objects when they cannot be used. */
  readonly first: Promise<GatewayState>;
  /** Calls back, one at a time, with the newest state whenever it has changed. A call that rejects is logged. */
  onChange(callback: (next: GatewayState) => Promise<void>): void;
  /** Resolves once no call is under way. */
  idle(): Promise<void>;
}

/** Follows files and folders of YAML until `signal` aborts. Later faults are logged, and change nothing. */
export function followStates(paths: readonly string[], log: Logger, signal: AbortSignal): StateFollower {
  let callback: ((next: GatewayState) => Promise<void>) | undefined;
  let waiting: GatewayState | undefined;
  let pumping: Promise<void> | undefined;
  let started = false;
  let told: readonly string[] = [];
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
    if (!started) rejectFirst(fault);
    else log.error(`configuration kept as it was: ${fault.message}`);
  };
  const onObjects = ({ objects }: ObjectSet) => {
    const compiled = compileGatewayState(objects);
    if ('faults' in compiled) {
      onFault(new Error(compiled.faults.join('\n')));
      return;
    }
    const warnings = [...unservedFields(objects), ...compiled.warnings];
    for (const warning of warnings) if (!told.includes(warning)) log.warn(warning);
    told = warnings;
    if (!started) {
      started = true;
      resolveFirst(compiled.state);
      return;
    }
    waiting = compiled.state;
    wake();
  };
  directorySource(paths)
    .watch(onObjects, onFault, signal)
    .catch((error: Error) => onFault(error));

  return {
    first,
    onChange(next) {
      callback = next;
      wake();
    },
    idle: async () => await pumping,
  };
}
