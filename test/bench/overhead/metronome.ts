import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Beats {
  /** Of the first beat, by `now()`. */
  readonly start: number;
  /** Milliseconds between beats. */
  readonly spacing: number;
  readonly total: number;
}

/** Milliseconds on the machine's monotonic clock, the same in every thread. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Calls `onBeat` at each beat, from a thread that sleeps to a fraction of a millisecond: a timer of the event loop is
 * late by up to a millisecond, which would be read as latency. The thread's script is this process's own, which must
 * call `runMetronome` off the main thread.
 */
export function startMetronome(beats: Beats, onError: (error: Error) => void, onBeat: () => void): void {
  const worker = new Worker(__filename, { workerData: beats });
  worker.on('message', onBeat);
  worker.on('error', onError);
}

export function runMetronome(): void {
  const { start, spacing, total } = workerData as Beats;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let beat = 0; beat < total; beat++) {
    const wait = start + beat * spacing - now();
    if (wait > 0) Atomics.wait(never, 0, 0, wait);
    parentPort?.postMessage(beat);
  }
}
