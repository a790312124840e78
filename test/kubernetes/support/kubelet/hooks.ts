import { setTimeout as sleep } from 'node:timers/promises';
import type { V1LifecycleHandler } from '@kubernetes/client-node';
import { ask, type Failure, type Target } from './probes/handler';

/** Runs a postStart or preStop hook for at most so long; why it failed, or undefined. */
export async function runHook(hook: V1LifecycleHandler, target: Target, timeoutMs: number): Promise<Failure> {
  if (hook.sleep !== undefined) {
    await sleep(Math.min(hook.sleep.seconds * 1000, timeoutMs));
    return undefined;
  }
  return ask(hook, target, timeoutMs);
}
