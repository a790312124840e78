import { decodeLine, type RecordingLine } from './recording-line';

/**
 * The lines of a recording in order. The last line of a router that was killed may be cut short, and is left out; another
 * line that cannot be read throws, with its number and what is wrong. Empty lines count as lines.
 */
export function* readRecordingLines(lines: Iterable<string>): Generator<RecordingLine> {
  let number = 0;
  let begun = false;
  /** Only the last line before another router's, or of all, can have been cut short. */
  let cutShort: Error | undefined;
  for (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = decoded(text, number);
    if (cutShort !== undefined && !isHeader(line)) throw cutShort;
    if (!begun && !isHeader(line)) {
      throw line instanceof Error ? line : new Error(`line ${number}: a recording begins with its header`);
    }
    begun = true;
    cutShort = line instanceof Error ? line : undefined;
    if (!(line instanceof Error)) yield line;
  }
}

function decoded(text: string, number: number): RecordingLine | Error {
  try {
    return decodeLine(text);
  } catch (error) {
    return new Error(`line ${number} of the recording: ${(error as Error).message}`);
  }
}

function isHeader(line: RecordingLine | Error): boolean {
  return 'recording' in line;
}
