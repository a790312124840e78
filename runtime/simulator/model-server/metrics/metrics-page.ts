import type { EngineSnapshot } from '../../engine/types';
import { metricsPadding } from './padding';
import { sglang } from './sglang';
import type { Statistics } from './statistics';
import { tgi } from './tgi';
import { triton } from './triton';
import { trtllm } from './trtllm';
import type { Dialect, LoraSeries } from './view';
import { vllm } from './vllm';

/** Whose metric names the page uses, each with the prefix of its names. */
const DIALECTS = {
  vllm: { write: vllm, prefix: 'vllm:' },
  sglang: { write: sglang, prefix: 'sglang:' },
  tgi: { write: tgi, prefix: 'tgi_' },
  trtllm: { write: trtllm, prefix: 'trtllm_' },
  triton: { write: triton, prefix: 'nv_' },
} as const satisfies Record<string, { write: Dialect; prefix: string }>;

/** An engine whose metric names the server can speak. */
export type DialectName = keyof typeof DIALECTS;

/** All dialects, for messages. */
export const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[];

/** Sets of adapters kept on the page; the oldest goes first. */
const KEPT_LORA_SERIES = 32;

export interface MetricsPageOptions {
  readonly dialect: DialectName;
  readonly model: string;
  readonly maxLora: number;
  /** The page is padded to about this size. */
  readonly bytes: number;
}

/** Returns the function that writes the page; `unixSeconds` is the time of the scrape. */
export function createMetricsPage(
  options: MetricsPageOptions,
  statistics: Statistics,
): (snapshot: EngineSnapshot, unixSeconds: number) => string {
  const { write, prefix } = DIALECTS[options.dialect];
  const { model, maxLora } = options;
  const lora = new Map<string, LoraSeries>();
  let padding: string | undefined;

  return (snapshot, unixSeconds) => {
    const running = snapshot.runningAdapters.join(',');
    const waiting = snapshot.waitingAdapters.join(',');
    const key = `${running};${waiting}`;
    // Like vLLM's client library, series of earlier sets stay with their old time.
    lora.delete(key);
    lora.set(key, { running, waiting, at: unixSeconds });
    if (lora.size > KEPT_LORA_SERIES) lora.delete(lora.keys().next().value!);
    const view = { model, snapshot, statistics, maxLora, loraSeries: [...lora.values()] };
    padding ??= metricsPadding(prefix, model, options.bytes - write(view, '').length);
    return write(view, padding);
  };
}
