import { type FieldPath, formatPath } from '../api/validation/fault';

/** A value and where it was read. */
export interface SourcedValue {
  /** A file path, or a kind of address such as `kubernetes`. */
  readonly source: string;
  readonly value: unknown;
  /** Line (from 1) of a path inside `value`, where the source has lines. */
  lineOf?(path: FieldPath): number | undefined;
}

/** `file:line path: message`; `file:line: message` where the path is empty. */
export function faultLine(at: SourcedValue, path: FieldPath, message: string): string {
  const field = formatPath(path);
  return `${sourceLine(at, path)}${field === '' ? '' : ` ${field}`}: ${message}`;
}

/** `file:line`, or `file` where the source has no lines. */
export function sourceLine(at: SourcedValue, path: FieldPath = []): string {
  const line = at.lineOf?.(path);
  return line === undefined ? at.source : `${at.source}:${line}`;
}
