import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Level, type Logger, levels } from 'pino';

/** Takes the log of a child process over into `log`: JSON lines with their level and fields, others as they are. */
export function forwardLog(stream: Readable, log: Logger): void {
  createInterface({ input: stream }).on('line', (line) => {
    const entry = parse(line);
    const write = entry === undefined ? undefined : (levels.labels[entry.level] as Level | undefined);
    if (entry === undefined || write === undefined) {
      if (line !== '') log.warn(line);
      return;
    }
    const { level: _level, time: _time, pid: _pid, msg, ...fields } = entry;
    log[write](fields, msg ?? '');
  });
}

interface Entry {
  readonly level: number;
  readonly time?: number;
  readonly pid?: number;
  readonly msg?: string;
}

function parse(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(line) as { level?: unknown };
    return typeof value.level === 'number' ? (value as Entry) : undefined;
  } catch {
    return undefined;
  }
}
