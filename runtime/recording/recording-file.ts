import { type FileHandle, open } from 'node:fs/promises';
import { decodeLine } from './recording-line';

/** Lines wait in memory for so long, milliseconds: what a killed process loses. */
const FLUSH_EVERY_MS = 100;
/** Bytes that may wait for the disk; lines beyond them are dropped. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** The longest first line that is looked at. */
const MAX_HEADER_BYTES = 4096;

/** A file that lines are added to, without ever making the caller wait. */
export interface RecordingFile {
  /** Bytes in the file and on the way to it. */
  readonly size: number;
  /** False, with the line dropped, while too much waits for the disk. */
  append(line: string): boolean;
  /** Writes what waits. Never rejects; a fault is told by `onError`. */
  close(): Promise<void>;
}

/**
 * Opens a new file, readable by its owner alone, or one that holds a recording, to add to it. Rejects when the file
 * cannot be written or holds something else. `onError` is told once of a disk that fails; from then on lines are dropped.
 */
export async function openRecordingFile(path: string, onError: (error: unknown) => void): Promise<RecordingFile> {
  const handle = await open(path, 'a+', 0o600).catch((error: unknown) => {
    throw new Error(`${path} cannot be written, name another file with --record: ${(error as Error).message}`);
  });
  let size: number;
  let torn: boolean;
  try {
    ({ size, torn } = await examine(handle, path));
  } catch (error) {
    await handle.close();
    throw error;
  }
  let waiting: string[] = [];
  let waitingBytes = 0;
  let broken = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  if (torn) push('\n');

  function push(line: string): void {
    waiting.push(line);
    waitingBytes += line.length;
    size += line.length;
    timer ??= setTimeout(() => {
      writing = writing.then(flush);
    }, FLUSH_EVERY_MS).unref();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting.join('');
    waiting = [];
    if (text === '' || broken) return;
    try {
      await handle.appendFile(text);
    } catch (error) {
      broken = true;
      onError(error);
    }
    waitingBytes -= text.length;
  }

  return {
    get size() {
      return size;
    },
    append(line) {
      if (broken || waitingBytes + line.length > MAX_WAITING_BYTES) return false;
      push(line);
      return true;
    },
    async close() {
      await writing.then(flush);
      await handle.close().catch(onError);
    },
  };
}

/** Rejects, in one line, when a recording cannot be written to `path`. Leaves an empty file there. */
export async function assertRecordable(path: string): Promise<void> {
  await (await openRecordingFile(path, () => {})).close();
}

/** `torn`: the last line is a part of one, as a killed router leaves it. */
async function examine(handle: FileHandle, path: string): Promise<{ size: number; torn: boolean }> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new Error(`${path} is no file; name a file with --record`);
  if (stat.size === 0) return { size: 0, torn: false };
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  const [first = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
  if (!isHeader(first)) throw new Error(`${path} exists and is no recording; name another file with --record`);
  const last = await handle.read(Buffer.alloc(1), 0, 1, stat.size - 1);
  return { size: stat.size, torn: last.buffer.toString() !== '\n' };
}

function isHeader(line: string): boolean {
  try {
    return 'recording' in decodeLine(line);
  } catch {
    return false;
  }
}
