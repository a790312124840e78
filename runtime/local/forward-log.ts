import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';

/** Takes the log of a child process over into `log`: JSON lines with their level and fields, others as they are. */
export function forwardLog(stream: Readable, log: Logger): void {
  createInterface({ input: stream }).on('line', (line) => {
    const entry = parse(line);
    const write = entry === undefined ? undefined : LEVELS[entry.level];
    if (entry === undefined || write === undefined) {
      if (line !== '') log.warn(line);
      return;
    }
    const { level: _level, time: _time, pid: _pid, msg, ...fields } = entry;
    log[write](fields, msg ?? '');
  });
}

/** pino's numbers. */
const LEVELS: Readonly<Record<number, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

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
