import type { Writable } from 'node:stream';
import { destination, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on standard error, written at once so that the last words of a process are not lost. */
export function createLogger(name: string, level: LogLevel): Logger {
  return pino({ name, level, base: { pid: process.pid } }, destination({ fd: 2, sync: true }));
}

/** Lines for a person: time, level, message, fields. */
export function createTerminalLogger(level: LogLevel, output: Writable, colours: boolean): Logger {
  const stream = pretty({
    colorize: colours,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    destination: output,
    sync: true,
  });
  return pino({ level }, stream);
}
