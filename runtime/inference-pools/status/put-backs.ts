import { type Backoff, createBackoff } from '../../kubernetes/backoff';
import type { Clock } from '../../kubernetes/clock';

/** Holds back what is written again and again because somebody undoes it: ever longer, for each key by itself. */
export interface PutBacks {
  /** Milliseconds until `content` is to be written under the key; 0 is now. */
  dueIn(key: string, content: string): number;
  /** It was written. Gives the milliseconds until the same may be written once more. */
  wrote(key: string, content: string): number;
  /** Forgets every other key. */
  retain(keys: ReadonlySet<string>): void;
}

interface Written {
  readonly content: string;
  readonly at: number;
  readonly againMs: number;
  readonly backoff: Backoff;
}

/** Milliseconds. */
const MIN_MS = 1_000;
const MAX_MS = 60_000;

/** What has lasted so long was undone for another reason. Milliseconds. */
const LASTED_MS = 300_000;

export function createPutBacks(clock: Pick<Clock, 'now'>, random: () => number): PutBacks {
  const written = new Map<string, Written>();

  function last(key: string, content: string): Written | undefined {
    const found = written.get(key);
    return found?.content === content && clock.now() - found.at < LASTED_MS ? found : undefined;
  }

  return {
    dueIn(key, content) {
      const found = last(key, content);
      return found === undefined ? 0 : Math.max(0, found.at + found.againMs - clock.now());
    },
    wrote(key, content) {
      const found = last(key, content);
      const backoff = found?.backoff ?? createBackoff(MIN_MS, MAX_MS, random);
      const againMs = found === undefined ? 0 : backoff.next();
      written.set(key, { content, at: clock.now(), againMs, backoff });
      return againMs;
    },
    retain(keys) {
      for (const key of written.keys()) if (!keys.has(key)) written.delete(key);
    },
  };
}
