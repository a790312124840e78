import { KUBELET_PORT, NODE_IP } from '../addresses';
import type { Client } from '../api/client';
import { ALLOCATABLE } from './downward';
import type { NodeSpec } from './scheduler';

/** So many nodes, each in a zone of its own. They are names: all pods run on this machine. */
export function nodeSpecs(count: number): readonly NodeSpec[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`,
    labels: {
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch,
      'kubernetes.io/hostname': `node-${index + 1}`,
      'topology.kubernetes.io/region': 'test-1',
      'topology.kubernetes.io/zone': `test-1${String.fromCharCode(97 + index)}`,
    },
  }));
}

/** Makes the node ready at the API server. */
export async function registerNode(client: Client, { name, labels }: NodeSpec): Promise<void> {
  await client.create('/api/v1/nodes', { metadata: { name, labels } });
  // Admission taints every new node until something says that it is ready.
  await client.merge(`/api/v1/nodes/${name}`, { spec: { taints: null } });
  const now = new Date().toISOString();
  await client.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      addresses: [
        { type: 'InternalIP', address: NODE_IP },
        { type: 'Hostname', address: name },
      ],
      allocatable: { ...ALLOCATABLE, pods: '10000' },
      daemonEndpoints: { kubeletEndpoint: { Port: KUBELET_PORT } },
      capacity: { ...ALLOCATABLE, pods: '10000' },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now, lastTransitionTime: now },
      ],
    },
  });
}
