import type { Load } from './load-generator';

/** What is measured, and for how long. */
export interface Plan {
  readonly podCounts: readonly number[];
  readonly bodyBytes: readonly number[];
  readonly loads: readonly Load[];
  readonly rounds: number;
  /** Once for each leg, so that its code is compiled. */
  readonly firstWarmUpMs: number;
  /** Before each measurement. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly scrapeMs: number;
}

const BODIES = [4 * 1024, 220 * 1024];
const CLOSED: Load = { kind: 'closed', concurrency: 16 };
const open = (perSecond: number): Load => ({ kind: 'open', perSecond });

/** About 12 minutes. */
export const FULL: Plan = {
  podCounts: [10, 100],
  bodyBytes: BODIES,
  loads: [open(100), open(300), CLOSED],
  rounds: 3,
  firstWarmUpMs: 3_000,
  warmUpMs: 700,
  measureMs: 4_000,
  scrapeMs: 10_000,
};

/** Under a minute: shows that every part works and roughly what it costs. */
export const QUICK: Plan = {
  podCounts: [100],
  bodyBytes: BODIES,
  loads: [open(300), CLOSED],
  rounds: 1,
  firstWarmUpMs: 1_500,
  warmUpMs: 300,
  measureMs: 1_500,
  scrapeMs: 3_000,
};
