import { NODE_IP, POD_GATEWAY_IP, POD_PREFIX_BITS } from './addresses';
import { shell } from './shell';

/** The bridge that joins the pods. */
export const BRIDGE = 'pods0';

/**
 * Makes the node's address and the bridge of the pods in the namespaces of this run, and forgets what an earlier cluster
 * of the run left.
 */
export async function setUpNetwork(): Promise<void> {
  await tearDownNetwork();
  await shell(`
    ip addr replace ${NODE_IP}/32 dev lo
    ip link add ${BRIDGE} type bridge
    ip addr add ${POD_GATEWAY_IP}/${POD_PREFIX_BITS} dev ${BRIDGE}
    ip link set ${BRIDGE} up
    mkdir -p /run/netns`);
}

export async function tearDownNetwork(): Promise<void> {
  // A namespace that is deleted goes some time later, and its devices with it: the next cluster would find their names taken.
  await shell(`
    ip -o link show type veth | sed 's/^[0-9]*: //; s/[@:].*//' | while read -r device; do
      ip link delete "$device" 2>/dev/null || true
    done
    for namespace in $(ls /run/netns 2>/dev/null); do ip netns delete "$namespace"; done
    umount /run/netns 2>/dev/null || true
    ip link delete ${BRIDGE} 2>/dev/null || true
    ip -o addr show dev lo | while read -r _ _ family address _; do
      if [ "$family" = inet ] && [ "$address" != 127.0.0.1/8 ]; then ip addr delete "$address" dev lo; fi
    done`);
}
