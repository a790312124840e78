import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { checkObjects } from '../../lib/translate/check-objects';
import type { ObjectSet, ObjectSource } from './object-source';
import { listObjectFiles, type ObjectFile, parseObjectFiles, readTexts } from './read-object-files';

export interface DirectorySourceOptions {
  /** Files are looked at so often even when no event came. Milliseconds, default 2000. */
  readonly pollMs?: number;
  /** An edit has settled when no event came for so long. Milliseconds, default 50. */
  readonly settleMs?: number;
}

/**
 * Objects of files and folders of YAML, watched. Gives whole valid sets only: while any file has a fault the last good
 * set stays, and each fault is told once until it changes. A set with the same text as the last one is not given again.
 */
export function directorySource(paths: readonly string[], options: DirectorySourceOptions = {}): ObjectSource {
  const { pollMs = 2_000, settleMs = 50 } = options;
  return {
    async watch(onChange, onFault, signal) {
      const reader = createReader(paths);
      const alarm = createAlarm(settleMs, signal);
      let toldFault: string | undefined;
      try {
        while (!signal.aborted) {
          const { outcome, folders } = await reader.read();
          alarm.watchFolders(folders);
          if (signal.aborted) break;
          if (outcome.kind === 'fault' && outcome.text !== toldFault) {
            toldFault = outcome.text;
            onFault(new Error(outcome.text));
          }
          if (outcome.kind !== 'fault') toldFault = undefined;
          if (outcome.kind === 'changed') onChange(outcome.objects);
          await alarm.next(pollMs);
        }
      } finally {
        alarm.close();
      }
    },
  };
}

type Outcome =
  | { readonly kind: 'changed'; readonly objects: ObjectSet }
  | { readonly kind: 'same' }
  | { readonly kind: 'fault'; readonly text: string };

function createReader(paths: readonly string[]) {
  let seenFingerprint: string | undefined;
  let seenOutcome: Outcome = { kind: 'same' };
  let goodText: string | undefined;

  const outcomeOf = async (files: readonly ObjectFile[]): Promise<Outcome> => {
    const texts = await readTexts(files);
    const text = JSON.stringify([...texts]);
    if (text === goodText) return { kind: 'same' };
    const { objects, faults } = parseObjectFiles(texts);
    if (faults.length > 0) return { kind: 'fault', text: faults.join('\n') };
    const checked = checkObjects(objects);
    if ('faults' in checked) return { kind: 'fault', text: checked.faults.join('\n') };
    goodText = text;
    return { kind: 'changed', objects: { objects } };
  };

  return {
    async read(): Promise<{ outcome: Outcome; folders: readonly string[] | undefined }> {
      try {
        const { files, folders } = await listObjectFiles(paths);
        const fingerprint = JSON.stringify(files);
        if (fingerprint !== seenFingerprint) {
          seenOutcome = await outcomeOf(files);
          seenFingerprint = fingerprint;
        } else if (seenOutcome.kind === 'changed') seenOutcome = { kind: 'same' };
        return { outcome: seenOutcome, folders };
      } catch (error) {
        seenFingerprint = undefined;
        return { outcome: { kind: 'fault', text: (error as Error).message }, folders: undefined };
      }
    },
  };
}

/** Rings when a file of the watched folders changes, once the change has settled, and at the latest after a while. */
function createAlarm(settleMs: number, signal: AbortSignal) {
  const watchers = new Map<string, FSWatcher>();
  let ring: (() => void) | undefined;
  let settle: NodeJS.Timeout | undefined;
  /** It should have rung while nobody waited. */
  let missed = false;
  const touched = () => {
    clearTimeout(settle);
    settle = setTimeout(() => {
      if (ring === undefined) missed = true;
      else ring();
    }, settleMs);
  };
  const stop = () => ring?.();
  signal.addEventListener('abort', stop, { once: true });

  const unwatch = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  return {
    /** Undefined leaves the watched folders as they are. */
    watchFolders(folders: readonly string[] | undefined) {
      if (folders === undefined) return;
      for (const folder of watchers.keys()) if (!folders.includes(folder)) unwatch(folder);
      for (const folder of folders) {
        if (watchers.has(folder)) continue;
        try {
          // The poll covers what cannot be watched, such as a folder that is gone again.
          watchers.set(
            folder,
            watchFolder(folder, touched).on('error', () => unwatch(folder)),
          );
        } catch {}
      }
    },
    async next(timeoutMs: number): Promise<void> {
      if (signal.aborted) return;
      if (missed) {
        missed = false;
        return;
      }
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, timeoutMs);
        ring = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
      ring = undefined;
    },
    close() {
      clearTimeout(settle);
      for (const folder of watchers.keys()) unwatch(folder);
      signal.removeEventListener('abort', stop);
    },
  };
}
