import type { LocalGateway } from '../../../runtime/local/local-gateway';
import { until } from '../../support/until';
import { send } from './send';

/** The index of the picker process that decides. Resolves once one has decided something. */
export function primaryPicker(local: LocalGateway): Promise<number> {
  return until('a picker has decided', async () => {
    const decided = await Promise.all(local.pickerMetricsUrls().map(decisions));
    const most = Math.max(...decided);
    return most > 0 && decided.indexOf(most) + 1;
  }).then((place) => place - 1);
}

/** Sends a signal to a picker process, if it is there. */
export function signalPicker(local: LocalGateway, index: number, signal: NodeJS.Signals): void {
  const pid = local.pids().pickers[index];
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

/** Picks that a process has made itself, not those that it was told of. */
async function decisions(metricsUrl: string | undefined): Promise<number> {
  if (metricsUrl === undefined) return 0;
  const page = await send(metricsUrl, '/metrics').catch(() => undefined);
  const count = /^inference_extension_scheduler_e2e_duration_seconds_count (\d+)/m.exec(page?.body.toString() ?? '');
  return Number(count?.[1] ?? 0);
}

/** Part of the prompt tokens that the pods found in their caches, by their own counters. */
export async function prefixHitRate(addresses: readonly string[]): Promise<number> {
  let [hits, queries] = [0, 0];
  for (const address of addresses) {
    const page = (await send(`http://${address}`, '/metrics')).body.toString();
    hits += sum(page, /^vllm:prefix_cache_hits_total\{.*\} (\S+)/gm);
    queries += sum(page, /^vllm:prefix_cache_queries_total\{.*\} (\S+)/gm);
  }
  return hits / queries;
}

function sum(page: string, line: RegExp): number {
  return [...page.matchAll(line)].reduce((total, [, value]) => total + Number(value), 0);
}
