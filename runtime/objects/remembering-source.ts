import type { Logger } from 'pino';
import type { Clock } from '../kubernetes/clock';
import type { ObjectSet, ObjectSource } from './object-source';
import { writeStateFile } from './state-file';

export interface RememberingSourceOptions {
  readonly source: ObjectSource;
  /** The source has been reached since it is watched. */
  readonly isAnswered: () => boolean;
  /** What the file had when the process began. */
  readonly kept: ObjectSet | undefined;
  /** Of the file. */
  readonly path: string;
  readonly gateway: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface RememberingSource extends ObjectSource {
  /** The last set is what the file had. */
  isRemembered(): boolean;
  /** A set has come into force: the next process may begin with it. */
  keep(set: ObjectSet): void;
}

/** A source that has not answered for so long is taken to be away. Milliseconds. */
const AWAY_AFTER_MS = 5_000;

/** Whether it has answered is looked at so often after that. Milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Milliseconds. */
const WRITE_EVERY_MS = 2_000;

/**
 * A source whose last set outlives the process in a file. What the file has is given only where the source cannot be
 * reached for 5 s, and is replaced by the first set that the source gives.
 */
export function rememberingSource(options: RememberingSourceOptions): RememberingSource {
  const { source, isAnswered, path, gateway, clock, log } = options;
  let isRemembered = false;
  let hasGiven = false;
  let due: ObjectSet | undefined;
  let isWriting = false;
  let signal: AbortSignal | undefined;

  async function write(): Promise<void> {
    isWriting = true;
    while (due !== undefined) {
      const set = due;
      due = undefined;
      try {
        await writeStateFile(path, gateway, set);
      } catch (error) {
        log.warn({ reason: (error as Error).message }, '--state-file: the objects could not be kept');
      }
      await clock.sleep(WRITE_EVERY_MS, signal);
    }
    isWriting = false;
  }

  async function recall(onChange: (set: ObjectSet) => void, ended: AbortSignal): Promise<void> {
    const { kept } = options;
    await clock.sleep(AWAY_AFTER_MS, ended);
    while (kept !== undefined && !ended.aborted && !hasGiven) {
      if (!isAnswered()) {
        log.error(
          { gateway, path },
          'THE KUBERNETES API CANNOT BE REACHED: starting with the objects of the last run, which may be old',
        );
        isRemembered = true;
        onChange(kept);
        return;
      }
      await clock.sleep(LOOK_EVERY_MS, ended);
    }
  }

  return {
    isRemembered: () => isRemembered,
    keep(set) {
      if (isRemembered) return;
      due = set;
      if (!isWriting) void write();
    },
    async watch(onChange, onFault, ended) {
      signal = ended;
      const given = (set: ObjectSet) => {
        hasGiven = true;
        if (isRemembered)
          log.warn({ gateway }, 'the Kubernetes API answers again: its objects replace those of the last run');
        isRemembered = false;
        onChange(set);
      };
      await Promise.all([source.watch(given, onFault, ended), recall(onChange, ended)]);
    },
  };
}
