import type { V1Pod } from '@kubernetes/client-node';
import { machineIp } from '../../../kubernetes/support/addresses';
import type { Cluster } from '../../../kubernetes/support/cluster';
import { shell } from '../../../kubernetes/support/shell';
import { until } from '../../../support/until';
import { podFlags } from '../gateway-objects';
import { startPodProcess } from '../pod-process';
import { send } from '../send';
import type { TestGatewayOptions, TestPod } from '../test-gateway';
import { absentPod, MODEL_SERVER, modelServer, POD_PORT, READY_GATE } from './objects';
import { onlyLocal } from './only-local';

export interface ModelPods {
  /** Those that a process stands behind. */
  readonly pods: readonly TestPod[];
  address(name: string): string;
  startAbsent(name: string): Promise<void>;
  setReady(name: string, ready: boolean): Promise<void>;
  setLabels(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  /** Ends what runs on this machine. */
  close(): Promise<void>;
}

/** How many addresses of this machine stand for pods. */
let lent = 0;

/** The model servers of a gateway as pods of its namespace; resolves once they have addresses. */
export async function startModelPods(
  cluster: Cluster,
  namespace: string,
  options: Pick<TestGatewayOptions, 'pods' | 'schedulers'>,
): Promise<ModelPods> {
  const { client, kubelet } = cluster;
  const pods: TestPod[] = [];
  const ips = new Map<string, string>();
  const path = (pod: string) => `/api/v1/namespaces/${namespace}/pods/${pod}`;
  const isAbsent = (name: string) => options.pods.some((pod) => pod.name === name && pod.absent === true);
  const flagsOf = (name: string) => podFlags(options.pods.find((pod) => pod.name === name)!, options.schedulers);

  const setReady: ModelPods['setReady'] = async (pod, ready) => {
    const type = isAbsent(pod) ? 'Ready' : READY_GATE;
    await client.patch(`${path(pod)}/status`, {
      status: { conditions: [{ type, status: ready ? 'True' : 'False' }] },
    });
  };
  const lendAddress = async (pod: string) => {
    const ip = machineIp(lent++);
    await shell('ip addr replace "$1/32" dev lo', ip);
    await client.patch(`${path(pod)}/status`, { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } });
    return ip;
  };
  const ownAddress = async (pod: string) => {
    const { status } = await cluster.until(
      `containers of ${pod}`,
      async () => {
        const found = await client.get<V1Pod>(path(pod));
        const running = found.status?.conditions?.some(
          (one) => one.type === 'ContainersReady' && one.status === 'True',
        );
        return running && found;
      },
      { timeout: 60_000 },
    );
    return status!.podIP!;
  };

  await cluster.apply(
    options.pods.map((pod) =>
      pod.absent ? absentPod(namespace, pod) : modelServer(namespace, pod, flagsOf(pod.name)),
    ),
  );
  for (const { name, ready = true } of options.pods) {
    ips.set(name, await (isAbsent(name) ? lendAddress(name) : ownAddress(name)));
    await setReady(name, ready);
  }
  const address = (pod: string) => `${ips.get(pod)}:${POD_PORT}`;
  const podOf = (name: string): TestPod => {
    const url = `http://${address(name)}`;
    const log = async () => (await send(url, '/simulator/requests')).json();
    const signal = (which: NodeJS.Signals) => kubelet.killContainer(namespace, name, MODEL_SERVER, which);
    return {
      name,
      address: address(name),
      pid: onlyLocal('the pid of a pod'),
      kill: async () => signal('SIGKILL'),
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      // The kubelet does it.
      restart: () =>
        until(`${name} answers`, () =>
          send(url, '/health').then(
            () => true,
            () => false,
          ),
        ).then(() => {}),
      async faults(faults) {
        await send(url, '/simulator/faults', { body: JSON.stringify(faults) });
      },
      requests: async () => (await log()).requests,
      total: async () => (await log()).total,
    };
  };
  const onThisMachine: TestPod[] = [];
  pods.push(...options.pods.filter(({ name }) => !isAbsent(name)).map(({ name }) => podOf(name)));
  return {
    pods,
    address,
    async startAbsent(name) {
      const pod = { ...(await startPodProcess(address(name), flagsOf(name))), name };
      pods.push(pod);
      onThisMachine.push(pod);
    },
    setReady,
    async setLabels(pod, labels) {
      await client.merge(path(pod), { metadata: { labels } });
    },
    async close() {
      await Promise.all(onThisMachine.map((pod) => pod.kill()));
    },
  };
}
