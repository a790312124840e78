import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod, V1Service } from '@kubernetes/client-node';
import { NODE_IP } from '../addresses';
import type { Client } from '../api/client';
import { eventRecorder } from '../api/events';
import type { Informer } from '../api/informer';
import { logTail } from '../log-tail';
import type { CertificateFiles } from '../self-signed';
import type { ExecResult } from './container/container-process';
import { makeDevices } from './container/devices';
import type { Images } from './images';
import { startLogServer } from './log-server';
import type { Lookup } from './lookup';
import { nodeSpecs, registerNode } from './nodes';
import { podNetworks } from './pod-network';
import type { KubeletContext } from './pod-sandbox';
import { type PodWorker, startPod } from './pod-worker';
import { resolvConf } from './resolv-conf';
import { startScheduler } from './scheduler';

export interface KubeletOptions {
  readonly client: Client;
  readonly pods: Informer<V1Pod>;
  readonly services: Informer<V1Service>;
  readonly lookup: Lookup;
  readonly images: Images;
  readonly nodes: number;
  /** In memory. */
  readonly folder: string;
  readonly logFolder: string;
  /** What the API server sees of the kubelet's own server; it checks nothing. */
  readonly serving: Pick<CertificateFiles, 'certificate' | 'key'>;
  readonly restartDelay: number;
}

/** Scheduler and kubelet of all nodes: each container is a process in namespaces of its own. */
export interface Kubelet {
  /** Sends a signal to the first process of a container. Throws where it does not run. */
  killContainer(namespace: string, pod: string, container: string, signal: NodeJS.Signals): void;
  /** Runs a command in a container. Rejects where it does not run. */
  exec(namespace: string, pod: string, container: string, command: readonly string[]): Promise<ExecResult>;
  /** What a container has printed so far: the file, which all its runs share. */
  logFile(namespace: string, pod: string, container: string): string;
  logTail(namespace: string, pod: string, container: string, lines?: number): string;
  /** Ends every pod at once. */
  close(): Promise<void>;
}

const EXEC_LIMIT = 60_000;

export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { client, pods, services, lookup, images, folder, logFolder, restartDelay } = options;
  const nodes = nodeSpecs(options.nodes);
  await Promise.all(nodes.map((node) => registerNode(client, node)));
  const devices = join(folder, 'dev');
  await makeDevices(devices);
  await mkdir(logFolder, { recursive: true });

  const logFile = (namespace: string, pod: string, container: string) =>
    join(logFolder, `${namespace}_${pod}_${container}.log`);
  /** By uid. */
  const workers = new Map<string, PodWorker>();
  const ending = new Set<Promise<void>>();
  let closed = false;
  const containerOf = (namespace: string, pod: string, container: string) =>
    workers.get(pods.get(`${namespace}/${pod}`)?.metadata?.uid ?? '')?.container(container);

  const event = eventRecorder(client, 'test-kubelet');
  const context: KubeletContext = {
    ...{ client, event, images, lookup, devices, resolvConf, restartDelay },
    services: () => services.list(),
    networks: podNetworks(),
    folder: join(folder, 'pods'),
    hostIp: NODE_IP,
    logFile: ({ metadata }, container) => logFile(metadata!.namespace!, metadata!.name!, container),
  };
  const logServer = await startLogServer(options.serving, logFile, (...names) => {
    return containerOf(...names)?.process() !== undefined;
  });
  const scheduler = startScheduler(client, nodes, event);
  const names = new Set(nodes.map(({ name }) => name));

  pods.onChange((pod, deleted) => {
    // A pod that was ended with the kubelet is still in the API: whoever writes to it would start it again.
    if (closed) return;
    const uid = pod.metadata!.uid!;
    const worker = workers.get(uid);
    if (deleted) {
      scheduler.forget(pod);
      worker?.gone();
      workers.delete(uid);
    } else if (worker !== undefined) {
      worker.update(pod);
    } else if (names.has(pod.spec?.nodeName ?? '')) {
      const started = startPod(pod, context);
      workers.set(uid, started);
      ending.add(started.ended);
      void started.ended.then(() => ending.delete(started.ended));
      started.update(pod);
    } else {
      scheduler.consider(pod);
    }
  });

  const runningContainer = (namespace: string, pod: string, container: string) => {
    const process = containerOf(namespace, pod, container)?.process();
    if (process === undefined) throw new Error(`container ${container} of pod ${namespace}/${pod} does not run`);
    return process;
  };
  return {
    killContainer: (namespace, pod, container, signal) => runningContainer(namespace, pod, container).kill(signal),
    exec: async (namespace, pod, container, command) =>
      runningContainer(namespace, pod, container).exec(command, EXEC_LIMIT),
    logFile,
    logTail: (namespace, pod, container, lines) => logTail(logFile(namespace, pod, container), lines),
    async close() {
      closed = true;
      await logServer.close();
      for (const worker of workers.values()) worker.gone();
      workers.clear();
      await Promise.all(ending);
    },
  };
}
