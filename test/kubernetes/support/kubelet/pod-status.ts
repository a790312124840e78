import type { V1Pod } from '@kubernetes/client-node';
import type { ContainerState, Phase, Terminated } from './container-state';

export interface PodFacts {
  readonly pod: V1Pod;
  readonly podIp: string | undefined;
  readonly hostIp: string;
  readonly startedAt: Date;
  readonly initContainers: readonly ContainerState[];
  readonly containers: readonly ContainerState[];
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** The status that a kubelet reports, without the times of the conditions. */
export function podStatus(facts: PodFacts): { conditions: readonly Condition[]; [field: string]: unknown } {
  const { podIp, hostIp } = facts;
  return {
    phase: phaseOf(facts),
    conditions: conditionsOf(facts),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp === undefined ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: facts.startedAt.toISOString(),
    ...(facts.initContainers.length === 0 ? {} : { initContainerStatuses: facts.initContainers.map(containerStatus) }),
    containerStatuses: facts.containers.map(containerStatus),
  };
}

const succeeded = ({ finished, phase }: ContainerState) =>
  finished && phase.kind === 'terminated' && phase.exitCode === 0;

function phaseOf({ initContainers, containers }: PodFacts): string {
  if (initContainers.some((one) => one.finished && !succeeded(one))) return 'Failed';
  if (containers.every(({ finished }) => finished)) return containers.every(succeeded) ? 'Succeeded' : 'Failed';
  return containers.some(({ phase, last }) => phase.kind !== 'waiting' || last !== undefined) ? 'Running' : 'Pending';
}

function conditionsOf({ pod, podIp, initContainers, containers }: PodFacts): readonly Condition[] {
  const uninitialized = initContainers.filter((one) => !succeeded(one)).map(({ name }) => name);
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const closed = gates.filter(
    (gate) => !pod.status?.conditions?.some((one) => one.type === gate && one.status === 'True'),
  );
  const containersReady = condition('ContainersReady', unready, 'ContainersNotReady', 'containers with unready status');
  return [
    { type: 'PodReadyToStartContainers', status: podIp === undefined ? 'False' : 'True' },
    condition('Initialized', uninitialized, 'ContainersNotInitialized', 'containers with incomplete status'),
    containersReady,
    unready.length > 0
      ? { ...containersReady, type: 'Ready' }
      : condition('Ready', closed, 'ReadinessGatesNotReady', 'the status of the readiness gates'),
  ];
}

function condition(type: string, missing: readonly string[], reason: string, message: string): Condition {
  if (missing.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason, message: `${message}: [${missing.join(' ')}]` };
}

function containerStatus(state: ContainerState) {
  const { name, image, restarts, started, ready, last } = state;
  return {
    ...{ name, image, imageID: image, restartCount: restarts, started, ready },
    containerID: `process://${name}-${restarts}`,
    state: phaseStatus(state.phase),
    lastState: last === undefined || last === state.phase ? {} : phaseStatus(last),
  };
}

function phaseStatus(phase: Phase) {
  switch (phase.kind) {
    case 'waiting':
      return { waiting: { reason: phase.reason, message: phase.message } };
    case 'running':
      return { running: { startedAt: phase.startedAt.toISOString() } };
    case 'terminated':
      return { terminated: terminated(phase) };
  }
}

const terminated = ({ exitCode, startedAt, finishedAt, message }: Terminated) => ({
  exitCode,
  reason: exitCode === 0 ? 'Completed' : 'Error',
  message,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt.toISOString(),
});
