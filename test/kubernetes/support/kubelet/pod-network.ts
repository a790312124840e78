import { POD_GATEWAY_IP, POD_PREFIX_BITS, podIp } from '../addresses';
import { BRIDGE } from '../network';
import { shell } from '../shell';

export interface PodNetwork {
  readonly ip: string;
  /** The path of the network namespace; undefined where it is nothing but an address. */
  readonly netns: string | undefined;
  remove(): Promise<void>;
}

export interface PodNetworks {
  /** A network namespace on the bridge. */
  make(): Promise<PodNetwork>;
  /** An address where nobody answers. */
  makeAddress(): PodNetwork;
}

/** An address is given once: neighbours remember whose it was. */
export function podNetworks(): PodNetworks {
  let next = 0;
  return {
    async make() {
      const index = next++;
      const [name, ip] = [`pod-${index}`, podIp(index)];
      await connectNamespace(name, `veth${index}`, ip);
      // The device goes with its peer.
      const remove = () => shell('ip netns delete "$1"', name).then(() => {});
      return { ip, netns: `/run/netns/${name}`, remove };
    },
    makeAddress: () => ({ ip: podIp(next++), netns: undefined, remove: async () => {} }),
  };
}

async function connectNamespace(name: string, device: string, ip: string): Promise<void> {
  await shell(
    `ip netns add "$1"
    ip link add "$2" type veth peer name eth0 netns "$1"
    printf '%s\\n' "link set $2 master ${BRIDGE}" "link set $2 up" | ip -batch -
    printf '%s\\n' 'link set lo up' "addr add $3/${POD_PREFIX_BITS} dev eth0" 'link set eth0 up' \\
      'route add default via ${POD_GATEWAY_IP}' | ip -n "$1" -batch -`,
    name,
    device,
    ip,
  );
}
