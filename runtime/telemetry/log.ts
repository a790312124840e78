import { destination, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on standard error, written at once so that the last words of a process are not lost. */
export function createLogger(name: string, level: LogLevel): Logger {
  return pino({ name, level, base: { pid: process.pid } }, destination({ fd: 2, sync: true }));
}
