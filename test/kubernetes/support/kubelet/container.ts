import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Container } from '@kubernetes/client-node';
import type { ContainerProcess } from './container/container-process';
import { type ContainerRun, startRun } from './container-run';
import type { ContainerState, Phase, Terminated } from './container-state';
import { findImage } from './images';
import { NotYet } from './lookup';
import type { PodContext } from './pod-context';

/** A container of a pod, with its restarts. */
export interface Container {
  readonly name: string;
  state(): ContainerState;
  /** Of the run that is on, if any. */
  process(): ContainerProcess | undefined;
  /** Resolves with the exit code once it will not run again. */
  readonly finished: Promise<number>;
  /** Ends it for good. A second call with less time makes it quicker. */
  stop(graceMs: number): Promise<void>;
}

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** Milliseconds until something that was missing is looked for again. */
const RETRY = 300;
const LONGEST_DELAY = 60_000;
/** A run of this many milliseconds makes earlier ends forgotten. */
const LONG_RUN = 600_000;

/** Runs a container until its policy says that it has finished; `changed` is called with each change of its state. */
export function runContainer(
  context: PodContext,
  spec: V1Container,
  policy: RestartPolicy,
  changed: () => void,
): Container {
  let phase: Phase = { kind: 'waiting', reason: 'ContainerCreating' };
  let last: Terminated | undefined;
  let restarts = 0;
  let started = false;
  let ready = false;
  let finished = false;
  let run: ContainerRun | undefined;
  const stopped = new AbortController();

  const become = (next: Phase, flags = { started: false, ready: false }) => {
    phase = next;
    ({ started, ready } = flags);
    changed();
  };
  const listener = {
    started: () => {
      started = true;
      changed();
    },
    ready: (now: boolean) => {
      ready = now;
      changed();
    },
  };

  /** Undefined where it was stopped before it could start. */
  const start = async (): Promise<ContainerRun | undefined> => {
    let said = '';
    while (!stopped.signal.aborted) {
      try {
        const image = findImage(context.images, spec.image ?? '');
        if (image === undefined) throw new Error(`no image "${spec.image}": the cluster was started without it`);
        await context.volumes.refresh(context.pod);
        return await startRun(context, spec, image, listener);
      } catch (error) {
        const message = (error as Error).message;
        const reason = error instanceof NotYet ? 'CreateContainerConfigError' : 'CreateContainerError';
        if (said !== message) context.event(context.pod, 'Warning', 'Failed', `container ${spec.name}: ${message}`);
        said = message;
        become({ kind: 'waiting', reason, message });
        await sleep(RETRY, undefined, { signal: stopped.signal }).catch(() => {});
      }
    }
    return undefined;
  };

  const untilFinished = async (): Promise<number> => {
    for (let delay = 0; ; delay = Math.min(Math.max(context.restartDelay, delay * 2), LONGEST_DELAY)) {
      run = await start();
      if (run === undefined) return 137;
      // It may have become ready while its start was on.
      become({ kind: 'running', startedAt: run.startedAt }, { started, ready });
      if (stopped.signal.aborted) void run.stop(0);
      const end = await run.ended;
      last = end;
      const again = policy === 'Always' || (policy === 'OnFailure' && end.exitCode !== 0);
      if (stopped.signal.aborted || !again) {
        finished = true;
        become(end);
        return end.exitCode;
      }
      become(end);
      if (end.finishedAt.getTime() - end.startedAt.getTime() > LONG_RUN) delay = 0;
      if (delay > 0) {
        context.event(context.pod, 'Warning', 'BackOff', `Back-off restarting failed container ${spec.name}`);
        become({ kind: 'waiting', reason: 'CrashLoopBackOff', message: `back-off ${delay / 1000} s` });
        await sleep(delay, undefined, { signal: stopped.signal }).catch(() => {});
      }
      if (stopped.signal.aborted) {
        finished = true;
        become(end);
        return end.exitCode;
      }
      restarts += 1;
    }
  };

  const done = untilFinished();
  return {
    name: spec.name,
    state: () => ({ name: spec.name, image: spec.image ?? '', phase, last, restarts, started, ready, finished }),
    process: () => (phase.kind === 'running' ? run?.process : undefined),
    finished: done,
    async stop(graceMs) {
      stopped.abort();
      if (phase.kind === 'running') await run?.stop(graceMs);
      await done;
    },
  };
}
