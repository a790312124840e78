import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Probe } from '@kubernetes/client-node';
import { ask, type Failure, type Target } from './handler';

/**
 * Until a probe succeeds for the first time it is tried at least this often, in milliseconds, so that a pod is ready
 * soon after it could be. Failures count as if it were tried once a period.
 */
const EAGER_PERIOD = 500;

export interface ProbeEvents {
  /** Said when it changes: first after `successThreshold` or `failureThreshold` in a row. */
  result(healthy: boolean, reason: Failure): void;
  /** Each failure, with the number in a row. */
  failed(reason: string): void;
}

/** Probes until `signal` is aborted. */
export async function probeLoop(
  probe: V1Probe,
  target: Target,
  signal: AbortSignal,
  { result, failed }: ProbeEvents,
): Promise<void> {
  const period = (probe.periodSeconds ?? 10) * 1000;
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  let healthy: boolean | undefined;
  let successes = 0;
  let failures = 0;
  let periodEnds = 0;
  await pause((probe.initialDelaySeconds ?? 0) * 1000, signal);
  while (!signal.aborted) {
    const failure = await ask(probe, target, timeout);
    if (signal.aborted) return;
    if (failure === undefined) {
      failures = 0;
      successes += 1;
      if (successes >= (probe.successThreshold ?? 1) && healthy !== true) {
        healthy = true;
        result(true, undefined);
      }
    } else {
      successes = 0;
      if (healthy === true || Date.now() >= periodEnds) {
        failures += 1;
        periodEnds = Date.now() + period;
        failed(failure);
      }
      if (failures >= (probe.failureThreshold ?? 3) && healthy !== false) {
        healthy = false;
        result(false, failure);
      }
    }
    await pause(healthy === true ? period : Math.min(period, EAGER_PERIOD), signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
