import type { V1Pod } from '@kubernetes/client-node';
import { COMPONENT_LABEL, GATEWAY_LABEL, PORTS } from '../../../../lib/translate/cluster/names';
import type { Cluster } from '../../../kubernetes/support/cluster';
import { until } from '../../../support/until';
import { readings } from '../readings';
import { send } from '../send';
import type { TestGateway } from '../test-gateway';

export type GatewayParts = Pick<TestGateway, 'signalAll' | 'metrics' | 'untilIdle'>;

/** The routers and pickers of a gateway, as pods. */
export function gatewayParts(cluster: Cluster, name: string): GatewayParts {
  const podsOf = (kind?: 'router' | 'picker') =>
    cluster.pods.list().filter(({ metadata }) => {
      const { [GATEWAY_LABEL]: gateway, [COMPONENT_LABEL]: component = '' } = metadata?.labels ?? {};
      return gateway === name && (kind === undefined ? ['router', 'picker'].includes(component) : component === kind);
    });
  const pageOf = async ({ status }: V1Pod) => {
    // One that starts or ends has none.
    const page = await send(`http://${status?.podIP}:${PORTS.metrics}`, '/metrics').catch(() => undefined);
    return page?.body.toString() ?? '';
  };
  const metrics = async () => (await Promise.all(podsOf().map(pageOf))).join('');
  return {
    signalAll(kind, signal) {
      for (const { metadata } of podsOf(kind)) {
        try {
          cluster.kubelet.killContainer(metadata!.namespace!, metadata!.name!, kind, signal);
        } catch {
          // It does not run now.
        }
      }
    },
    metrics,
    async untilIdle() {
      await until('no request is in flight', async () => {
        const inFlight = readings(await metrics(), 'inference_pool_per_pod_in_flight_requests');
        return inFlight.length > 0 && inFlight.every((count) => count === 0);
      });
    },
  };
}
