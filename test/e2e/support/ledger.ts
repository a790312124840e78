import type { PodStatus } from '../../../runtime/endpoint-picker/status';
import type { LocalGateway } from '../../../runtime/local/local-gateway';
import { until } from '../../support/until';

/** Every pod as the pickers see it now. */
export async function podStates(gateway: LocalGateway): Promise<readonly PodStatus[]> {
  return (await gateway.pools()).flatMap(({ pods }) => pods);
}

/** Resolves once every request has left the ledger. */
export async function untilReleased(gateway: LocalGateway): Promise<void> {
  await until('nothing is in flight', async () => {
    const pods = await podStates(gateway);
    return pods.length > 0 && pods.every(({ inFlight }) => inFlight === 0);
  });
}

/** Resolves with the pod, once the pickers see it so. */
export function untilPod(
  gateway: LocalGateway,
  address: string,
  what: string,
  holds: (pod: PodStatus) => boolean,
): Promise<PodStatus> {
  return until(`${address}: ${what}`, async () =>
    (await podStates(gateway)).find((pod) => pod.address === address && holds(pod)),
  );
}
