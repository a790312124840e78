import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { createRecorder, type Recorder } from './recorder';
import { openRecordingFile } from './recording-file';

export interface RecordOptions {
  /** The file; it is made, or added to where it holds a recording. */
  readonly path: string;
  /** Bytes that the file may have; recording ends there, with a line that says so. */
  readonly limitBytes: number;
}

export interface Recording {
  readonly recorder: Recorder;
  /** Writes what waits, and the last line. */
  close(): Promise<void>;
}

/** Starts a recording. Rejects when the file cannot be written or holds something else. */
export async function openRecording(
  { path, limitBytes }: RecordOptions,
  state: GatewayState,
  clock: () => number,
  log: Logger,
): Promise<Recording> {
  const file = await openRecordingFile(path, (error) =>
    log.error({ err: error, file: path }, 'the recording cannot be written, and ends here'),
  );
  const recorder = createRecorder({
    file,
    limitBytes,
    state,
    created: new Date().toISOString(),
    secret: randomBytes(16),
    clock,
    onFull: () => log.warn({ file: path, limitBytes }, 'the recording has reached its limit, and ends here'),
  });
  return {
    recorder,
    async close() {
      recorder.stop();
      await file.close();
    },
  };
}
