import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../cluster';
import { shell } from '../shell';

/** A pod that has a connection open to a port of another, straight or through a Service. */
export interface PodConnection {
  readonly from: V1Pod;
  readonly to: V1Pod;
  readonly port: number;
}

interface Socket {
  readonly local: Address;
  readonly remote: Address;
  readonly state: string;
}

interface Address {
  readonly ip: string;
  readonly port: number;
}

const LISTENING = '0A';

/** Those of this moment, as the kernel has them. */
export async function podConnections(cluster: Cluster): Promise<readonly PodConnection[]> {
  const pods = new Map(cluster.pods.list().map((pod) => [pod.status?.podIP, pod] as const));
  const names = (await shell('ls /run/netns')).split('\n').filter((name) => name !== '');
  const connections: PodConnection[] = [];
  for (const name of names) {
    const text = await shell('nsenter --net="/run/netns/$1" cat /proc/net/tcp /proc/net/tcp6', name).catch(() => '');
    const sockets = text.split('\n').flatMap(socketIn);
    const served = new Set(sockets.filter(({ state }) => state === LISTENING).map(({ local }) => local.port));
    for (const { local, remote } of sockets) {
      const from = pods.get(local.ip);
      // Whoever listens on the port did not open the connection.
      if (from === undefined || served.has(local.port)) continue;
      for (const { ip, port } of targetsOf(cluster, remote)) {
        const to = pods.get(ip);
        if (to !== undefined && to !== from) connections.push({ from, to, port });
      }
    }
  }
  return connections;
}

/** A line of /proc/net/tcp: `0: 0100007F:1F90 00000000:0000 0A ...`. */
function socketIn(line: string): Socket[] {
  const [number = '', local = '', remote = '', state = ''] = line.trim().split(/\s+/);
  return /^\d+:$/.test(number) ? [{ local: addressIn(local), remote: addressIn(remote), state }] : [];
}

/** The last four bytes, the lowest first: an IPv4 address also in the table of IPv6. */
function addressIn(text: string): Address {
  const [ip = '', port = ''] = text.split(':');
  const bytes = ip.slice(-8).match(/../g) ?? [];
  return {
    ip: bytes
      .reverse()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.'),
    port: Number.parseInt(port, 16),
  };
}

/** Pods behind a Service, or the address itself. */
function targetsOf({ services, slices }: Cluster, { ip, port }: Address): readonly Address[] {
  const service = services.list().find(({ spec }) => spec?.clusterIP === ip);
  if (service === undefined) return [{ ip, port }];
  const portName = service.spec?.ports?.find((one) => one.port === port)?.name;
  return slices
    .list()
    .filter(
      ({ metadata }) =>
        metadata?.namespace === service.metadata?.namespace &&
        metadata?.labels?.['kubernetes.io/service-name'] === service.metadata?.name,
    )
    .flatMap(({ endpoints = [], ports = [] }) => {
      const target = ports.find(({ name }) => (name ?? '') === (portName ?? ''))?.port;
      return target === undefined
        ? []
        : endpoints.flatMap(({ addresses }) => addresses.map((address) => ({ ip: address, port: target })));
    });
}
