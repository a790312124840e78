import { DEFAULT_RETRY } from '../../envoy/upstream-settings';
import type { RetryState } from '../../gateway-state';
import { type Context, type Scheduler, target } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { GATEWAY_LABEL, gatewayLabels } from '../names';
import { shortName } from '../short-name';
import { responseOverrides } from './response-overrides';
import { modelTraffic, retrySettings } from './traffic-settings';

/** On HTTPRoutes whose scheduler retries otherwise than usual. */
export const RETRY_LABEL = `${GATEWAY_LABEL}-retry`;

/**
 * Of every route of the gateway: that a new model has it from its first request on, nothing is left to a policy of its
 * route. `requestBuffer` bounds bodies over HTTP/1.1 and HTTP/2 alike, after tokens are checked.
 */
export function gatewayTrafficPolicy({ config, installation, names, make }: Context): KubernetesObject {
  return make(
    'gateway.envoyproxy.io/v1alpha1',
    'BackendTrafficPolicy',
    { name: names.gateway, namespace: installation.systemNamespace },
    {
      spec: {
        targetRefs: [target('Gateway', names.gateway)],
        requestBuffer: { limit: String(config.spec.bbr.maxRequestBodyBytes) },
        responseOverride: responseOverrides(),
        ...modelTraffic(DEFAULT_RETRY),
      },
    },
  );
}

/** One for each way of retrying that differs from the usual; it goes over the Gateway's. */
export function retryPolicies({ config, namespace, make }: Context): KubernetesObject[] {
  const ways = new Map<string, RetryState>();
  for (const scheduler of config.spec.schedulers) {
    const name = retryClass(scheduler);
    if (name !== undefined && scheduler.retry !== undefined) ways.set(name, scheduler.retry);
  }
  return [...ways].map(([name, retry]) =>
    make(
      'gateway.envoyproxy.io/v1alpha1',
      'BackendTrafficPolicy',
      { name: shortName(config.metadata.name, `retry-${name}`), namespace },
      {
        spec: {
          targetSelectors: [
            {
              group: 'gateway.networking.k8s.io',
              kind: 'HTTPRoute',
              matchLabels: { ...gatewayLabels(config), [RETRY_LABEL]: name },
            },
          ],
          mergeType: 'StrategicMerge',
          retry: retrySettings(retry),
        },
      },
    ),
  );
}

/** How a scheduler retries, as a label value; undefined for the usual way. */
export function retryClass({ retry }: Scheduler): string | undefined {
  if (retry === undefined) return undefined;
  const { attempts, afterDispatch } = retry;
  if (attempts === DEFAULT_RETRY.attempts && afterDispatch === DEFAULT_RETRY.afterDispatch) return undefined;
  return attempts === 0 || afterDispatch ? `${attempts}` : `${attempts}-unsent`;
}
