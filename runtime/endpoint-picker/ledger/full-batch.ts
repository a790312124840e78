/**
 * Tells a batch that is full from one that is only busy with prompts: requests wait while the number of those running
 * stays the same, scrape after scrape.
 */
export interface FullBatch {
  /** Requests in the batch when some waited last. */
  running: number;
  /** Scrapes in a row that showed the same. */
  times: number;
}

/** Fewer may be one long prompt that is being computed. */
const ENOUGH_TIMES = 10;

export function createFullBatch(): FullBatch {
  return { running: 0, times: 0 };
}

/** Folds in what a scrape told; NaN: not told. */
export function observeBatch(batch: FullBatch, waiting: number, running: number): void {
  if (!(waiting > 0 && running > 0)) {
    batch.times = 0;
    return;
  }
  batch.times = running === batch.running ? batch.times + 1 : 1;
  batch.running = running;
}

export function isBatchFull({ times }: FullBatch): boolean {
  return times >= ENOUGH_TIMES;
}
