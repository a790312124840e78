import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Cluster } from '../cluster';
import { BRIDGE } from '../network';
import { shell } from '../shell';

const ADDRESS = 'fd00:10:244::1';
const OF_ASKER = 'fd00:10:244::2';

export interface Ipv6Pod {
  /** `[ADDRESS]:PORT`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * A pod with an IPv6 address, which the kubelet here does not give: nobody runs it, and this process answers at its address,
 * with its name. `asker`: IPv4 address of the pod that is to reach it.
 */
export async function startIpv6Pod(
  cluster: Cluster,
  { name, namespace, app }: { readonly name: string; readonly namespace: string; readonly app: string },
  asker: string,
): Promise<Ipv6Pod> {
  await shell(
    `ip -6 addr replace "${ADDRESS}/64" dev ${BRIDGE} nodad
    for netns in $(ls /run/netns); do
      if ip -n "$netns" -o -4 addr show | grep -qF " $1/"; then ip -n "$netns" -6 addr replace "${OF_ASKER}/64" dev eth0 nodad; fi
    done`,
    asker,
  );
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.on('end', () => outgoing.end(JSON.stringify({ pod: name })));
  });
  server.listen(3000, ADDRESS);
  await once(server, 'listening');
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app } },
    // Of a scheduler that is not there.
    spec: { schedulerName: 'nobody', containers: [{ name: 'nothing', image: 'nothing' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await cluster.client.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, {
    status: { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }], conditions },
  });
  return {
    endpoint: `[${ADDRESS}]:3000`,
    async close() {
      await cluster.kubectl(['-n', namespace, 'delete', 'pod', name, '--grace-period=0', '--force']);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
