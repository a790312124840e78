import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Container } from '@kubernetes/client-node';
import { logTail } from '../log-tail';
import { type ContainerProcess, startProcess } from './container/container-process';
import { inertProcess } from './container/inert-process';
import { containerPlan, terminationLogFile } from './container-plan';
import { type Probes, startProbes } from './container-probes';
import type { Terminated } from './container-state';
import { runHook } from './hooks';
import { type Image, isInert } from './images';
import type { PodContext } from './pod-context';
import type { Target } from './probes/handler';

/** One run of a container, from the start of its process to its end. */
export interface ContainerRun {
  readonly process: ContainerProcess;
  readonly startedAt: Date;
  readonly ended: Promise<Terminated>;
  /** preStop, SIGTERM, and SIGKILL once `graceMs` are over; harmless after the end. */
  stop(graceMs: number): Promise<void>;
}

export interface RunListener {
  started(): void;
  ready(ready: boolean): void;
}

/** What is left for the process when preStop has used up the time. */
const LEAST_GRACE = 2_000;
const POST_START_LIMIT = 60_000;

export async function startRun(
  context: PodContext,
  container: V1Container,
  image: Image,
  listener: RunListener,
): Promise<ContainerRun> {
  const { process, endMessage } = await start(context, container, image);
  const startedAt = new Date();
  const target: Target = { podIp: context.network.ip, process, ports: portsOf(container) };
  const { name, lifecycle } = container;
  const event = (reason: string, message: string) =>
    context.event(context.pod, 'Warning', reason, `container ${name}: ${message}`);
  let probes: Probes | undefined;
  let stopping: Promise<void> | undefined;
  let over = false;

  const ended = process.exited.then(async (exitCode): Promise<Terminated> => {
    over = true;
    probes?.stop();
    const message = await endMessage(exitCode);
    return { kind: 'terminated', exitCode, startedAt, finishedAt: new Date(), ...(message === '' ? {} : { message }) };
  });
  const hook = (which: 'preStop' | 'postStart', limit: number) => {
    const handler = lifecycle?.[which];
    return handler && Promise.race([runHook(handler, target, limit), ended.then(() => undefined)]);
  };
  const terminate = async (graceMs: number) => {
    probes?.ending();
    const deadline = Date.now() + graceMs;
    const failure = graceMs > 0 ? await hook('preStop', graceMs) : undefined;
    if (failure !== undefined) event('FailedPreStopHook', failure);
    process.kill('SIGTERM');
    const rest = graceMs === 0 ? 0 : Math.max(deadline - Date.now(), LEAST_GRACE);
    await Promise.race([ended, sleep(rest, undefined, { ref: false })]);
    process.kill('SIGKILL');
    await ended;
  };
  const stop = (graceMs: number): Promise<void> => {
    if (graceMs === 0) process.kill('SIGKILL');
    stopping ??= terminate(graceMs);
    return stopping;
  };

  const failure = await hook('postStart', POST_START_LIMIT);
  if (failure !== undefined) {
    event('FailedPostStartHook', failure);
    await stop(0);
  }
  if (!over) {
    probes = startProbes(isInert(image) ? { name } : container, target, {
      ...listener,
      failed: (kind, reason) => event('Unhealthy', `${kind} probe failed: ${reason}`),
      dead(kind, probe) {
        const grace = probe.terminationGracePeriodSeconds ?? context.pod.spec?.terminationGracePeriodSeconds ?? 30;
        event('Killing', `failed its ${kind} probe, will be restarted`);
        void stop(grace * 1000);
      },
    });
  }
  return { process, startedAt, ended, stop };
}

interface Started {
  readonly process: ContainerProcess;
  /** What the status says of an end. */
  readonly endMessage: (exitCode: number) => Promise<string>;
}

async function start(context: PodContext, container: V1Container, image: Image): Promise<Started> {
  if (isInert(image)) return { process: inertProcess(), endMessage: async () => '' };
  const plan = await containerPlan(context, container, image);
  return {
    process: await startProcess(plan),
    async endMessage(exitCode) {
      const written = await readFile(terminationLogFile(plan.root.folder), 'utf8').catch(() => '');
      const log = exitCode !== 0 && container.terminationMessagePolicy === 'FallbackToLogsOnError';
      return written === '' && log ? logTail(plan.logFile).slice(-2048) : written.slice(0, 4096);
    },
  };
}

function portsOf(container: V1Container): ReadonlyMap<string, number> {
  return new Map((container.ports ?? []).flatMap(({ name, containerPort }) => (name ? [[name, containerPort]] : [])));
}
