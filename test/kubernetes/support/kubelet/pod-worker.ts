import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Client } from '../api/client';
import { ApiRefusal } from '../api/request';
import { type Container, type RestartPolicy, runContainer } from './container';
import type { ContainerState } from './container-state';
import { type KubeletContext, makeSandbox, type PodSandbox } from './pod-sandbox';
import { podStatus } from './pod-status';
import { StatusWriter } from './status-writer';
import { unsupportedFields } from './supported-fields';

/** One pod, from its binding to its end. */
export interface PodWorker {
  /** The pod as the API server has it now: its labels, its readiness gates, its deletion. */
  update(pod: V1Pod): void;
  /** The API server has it no more: it ends at once. */
  gone(): void;
  container(name: string): Container | undefined;
  /** Resolves once nothing of it is left. */
  readonly ended: Promise<void>;
}

export function startPod(first: V1Pod, shared: KubeletContext): PodWorker {
  let pod = first;
  let sandbox: PodSandbox | undefined;
  let initContainers: readonly Container[] = [];
  let containers: readonly Container[] = [];
  let blocked: { reason: string; message: string } | undefined;
  let ending = false;
  const startedAt = new Date();
  const stopped = new AbortController();
  const forgotten = new AbortController();
  const writer = new StatusWriter(shared.client, first, forgotten.signal);
  const settled = Promise.withResolvers<void>();
  const spec = first.spec!;
  const policy = (spec.restartPolicy ?? 'Always') as RestartPolicy;

  const report = () => {
    const states = (running: readonly Container[], specs: readonly { name: string; image?: string }[]) =>
      specs.map(
        ({ name, image = '' }) =>
          running.find((one) => one.name === name)?.state() ??
          notStarted(name, image, blocked ?? { reason: 'PodInitializing' }),
      );
    writer.write(
      podStatus({
        ...{ pod, podIp: sandbox?.network.ip, hostIp: shared.hostIp, startedAt },
        initContainers: states(initContainers, spec.initContainers ?? []),
        containers: states(containers, spec.containers),
      }),
    );
  };
  const block = (reason: string, message: string) => {
    if (blocked?.message !== message) shared.event(pod, 'Warning', reason, message);
    blocked = { reason, message };
    report();
  };

  const run = async (): Promise<void> => {
    report();
    const unsupported = unsupportedFields(spec);
    if (unsupported.length > 0) {
      return block('NotSupported', `this test kubelet does not support ${unsupported.join('; ')}`);
    }
    sandbox = await makeSandbox(first, shared);
    const context = await sandbox.context(stopped.signal, (why) => block('FailedMount', why));
    if (context === undefined) return;
    blocked = undefined;
    report();
    void sandbox.keepVolumes(() => pod, stopped.signal);
    for (const container of spec.initContainers ?? []) {
      const running = runContainer(context, container, policy === 'Never' ? 'Never' : 'OnFailure', report);
      initContainers = [...initContainers, running];
      if ((await running.finished) !== 0 || stopped.signal.aborted) return;
    }
    if (stopped.signal.aborted) return;
    containers = spec.containers.map((container) => runContainer(context, container, policy, report));
    report();
  };
  const running = run().catch((error: unknown) => block('FailedCreatePodSandBox', (error as Error).message));

  const stop = async (graceMs: number): Promise<void> => {
    stopped.abort();
    await Promise.all([...initContainers, ...containers].map((container) => container.stop(graceMs)));
  };
  const end = async (graceMs: number): Promise<void> => {
    await stop(graceMs);
    // What was being started meanwhile.
    await running;
    await stop(0);
    if (!forgotten.signal.aborted) {
      report();
      await writer.settled();
      await removeFromApi(shared.client, first, forgotten.signal);
    }
    await sandbox?.remove();
  };
  const finish = (graceMs: number) => {
    ending = true;
    end(graceMs)
      .catch((error: unknown) => shared.event(first, 'Warning', 'FailedKillPod', String(error)))
      .finally(settled.resolve);
  };

  return {
    update(next) {
      pod = next;
      if (ending) return;
      const { deletionTimestamp, deletionGracePeriodSeconds } = next.metadata!;
      if (deletionTimestamp !== undefined) finish((deletionGracePeriodSeconds ?? 30) * 1000);
      else if ((spec.readinessGates ?? []).length > 0) report();
    },
    gone() {
      forgotten.abort();
      if (ending) void stop(0);
      else finish(0);
    },
    container: (name) => [...initContainers, ...containers].find((one) => one.name === name),
    ended: settled.promise,
  };
}

function notStarted(name: string, image: string, why: { reason: string; message?: string }): ContainerState {
  const phase = { kind: 'waiting', ...why } as const;
  return { name, image, phase, last: undefined, restarts: 0, started: false, ready: false, finished: false };
}

const RETRY = 300;

/** Tells the API server that it may forget the pod. */
async function removeFromApi(client: Client, { metadata }: V1Pod, forgotten: AbortSignal): Promise<void> {
  const { name, namespace, uid } = metadata!;
  while (!forgotten.aborted) {
    try {
      const options = { gracePeriodSeconds: 0, preconditions: { uid } };
      return await client.delete(`/api/v1/namespaces/${namespace}/pods/${name}`, options);
    } catch (error) {
      // Another pod has the name by now.
      if (error instanceof ApiRefusal && error.code === 409) return;
      await sleep(RETRY);
    }
  }
}
