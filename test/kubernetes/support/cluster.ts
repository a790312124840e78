import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1ConfigMap, V1EndpointSlice, V1Pod, V1Secret, V1Service } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { DNS_SERVICE_IP } from './addresses';
import { type Client, createClient } from './api/client';
import { type ApiObject, type Informer, startInformer } from './api/informer';
import { type ApiAccess, closeConnections } from './api/request';
import { type ControlPlane, startControlPlane } from './control-plane/control-plane';
import { startDns } from './dns/dns-server';
import { explainPods } from './explain-pods';
import { type Kubectl, kubectlOf } from './kubectl';
import type { Images } from './kubelet/images';
import { type Kubelet, startKubelet } from './kubelet/kubelet';
import { lookupIn } from './kubelet/lookup';
import { setUpNetwork, tearDownNetwork } from './network';
import { useClusterDns } from './own-resolv-conf';
import { makeRunFolder } from './run-folder';
import { startServiceProxy } from './services/service-proxy';
import { until as plainUntil, type UntilOptions } from './until';

export interface ClusterOptions {
  /** What can be run, by the end of the image's path. */
  readonly images: Images;
  /** Default 1. Each in a zone of its own, by name only. */
  readonly nodes?: number;
  /** Milliseconds from a container's second end to its restart; default 1,000, where a kubelet has 10,000. */
  readonly restartDelay?: number;
  /** Load balancers of this class are made by the test. Default: the harness gives those of every class an address. */
  readonly otherLoadBalancerClass?: string;
}

/** A cluster of one machine: a real control plane, and pods that are processes. */
export interface Cluster {
  readonly controlPlane: ControlPlane;
  readonly access: ApiAccess;
  /** The path of a file. */
  readonly kubeconfig: string;
  /** An administrator's. */
  readonly token: string;
  readonly client: Client;
  readonly kubelet: Kubelet;
  readonly kubectl: Kubectl;
  /** Server-side apply of YAML or objects. */
  apply(what: string | object | readonly object[]): Promise<void>;
  /** As `until`; when the time is over, with the events and log tails of the pods that are not ready. */
  until: typeof plainUntil;
  /** Waits until a Deployment is as it is wanted to be, with no pod of an older template left. */
  rolledOut(namespace: string, deployment: string, timeout?: number): Promise<void>;
  readonly pods: Informer<V1Pod>;
  readonly services: Informer<V1Service>;
  readonly slices: Informer<V1EndpointSlice>;
  /** Names that the cluster's DNS is to know besides, and their addresses. */
  readonly hosts: Map<string, string>;
  /** The folder of the control plane's logs; the pods' are below it. */
  readonly logs: string;
  close(): Promise<void>;
}

/** Starts a cluster in the namespaces of this run; there is one at a time. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).reverse()) await closer().catch((error) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `the cluster did not end well: ${failures.join('; ')}`);
  };
  try {
    return await start(options, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: ClusterOptions,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Cluster> {
  const { images, nodes = 1, restartDelay = 1_000 } = options;
  const folder = await makeRunFolder();
  closers.push(() => rm(folder.data, { recursive: true, force: true }));
  await setUpNetwork();
  closers.push(tearDownNetwork);
  const controlPlane = await startControlPlane(folder.data, folder.logs);
  closers.push(() => controlPlane.close());
  const { access, kubeconfig } = controlPlane;
  const client = createClient(access);
  closers.push(() => closeConnections(access));

  const follow = async <T extends ApiObject>(path: string): Promise<Informer<T>> => {
    const informer = await startInformer<T>(access, path);
    closers.push(() => informer.close());
    return informer;
  };
  const [pods, secrets, configMaps, services, slices] = await Promise.all([
    follow<V1Pod>('/api/v1/pods'),
    follow<V1Secret>('/api/v1/secrets'),
    follow<V1ConfigMap>('/api/v1/configmaps'),
    follow<V1Service>('/api/v1/services'),
    follow<V1EndpointSlice>('/apis/discovery.k8s.io/v1/endpointslices'),
  ]);
  await client.create('/api/v1/namespaces/kube-system/services', dnsService);
  const proxy = startServiceProxy(client, services, slices, options.otherLoadBalancerClass);
  closers.push(() => proxy.close());
  const hosts = new Map<string, string>();
  const dns = await startDns({ services, slices, loadBalancerIps: proxy.loadBalancerIps, hosts });
  closers.push(() => dns.close());
  closers.push(await useClusterDns(folder.data));
  const kubelet = await startKubelet({
    ...{ client, pods, services, images, nodes, restartDelay },
    lookup: lookupIn(secrets, configMaps),
    folder: folder.data,
    logFolder: join(folder.logs, 'pods'),
    serving: controlPlane.serving,
  });
  closers.push(() => kubelet.close());

  const kubectl = kubectlOf(kubeconfig);
  const until: typeof plainUntil = (what, attempt, given: UntilOptions = {}) =>
    plainUntil(what, attempt, { explain: () => explainPods(client, kubelet, pods.list()), ...given });
  return {
    ...{ controlPlane, access, kubeconfig, client, kubelet, kubectl, until, pods, services, slices, hosts, close },
    token: access.token,
    logs: folder.logs,
    async apply(what) {
      const text =
        typeof what === 'string'
          ? what
          : [what]
              .flat()
              .map((one) => stringify(one))
              .join('---\n');
      await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], text);
    },
    async rolledOut(namespace, deployment, timeout = 60_000) {
      await until(`Deployment ${namespace}/${deployment}`, () => rolledOut(client, namespace, deployment), { timeout });
    },
  };
}

const dnsService = {
  metadata: { name: 'kube-dns', namespace: 'kube-system' },
  spec: {
    clusterIP: DNS_SERVICE_IP,
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ],
  },
};

interface DeploymentStatus {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status?: Partial<
    Record<'observedGeneration' | 'replicas' | 'updatedReplicas' | 'availableReplicas' | 'terminatingReplicas', number>
  >;
}

async function rolledOut(client: Client, namespace: string, name: string): Promise<boolean> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  const { metadata, spec, status = {} } = await client.get<DeploymentStatus>(path);
  const wanted = spec.replicas;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas].map((count) => count ?? 0);
  if (status.observedGeneration === metadata.generation && counts.every((count) => count === wanted)) return true;
  throw new Error(`${wanted} wanted, ${counts.join('/')} there/updated/available`);
}
