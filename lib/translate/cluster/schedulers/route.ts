import { BASE_MODEL_NAME_HEADER, SERVED_ENDPOINT_HEADER } from '../../envoy/control-headers';
import { type Context, EVERYTHING, parentRefs, type Scheduler } from '../context';
import { RETRY_LABEL, retryClass } from '../envoy-gateway/backend-traffic-policies';
import type { KubernetesObject } from '../kubernetes-object';
import { schedulerNames } from '../names';

/** Name of the port of the Service and of its EndpointSlices. */
export const MODEL_PORT_NAME = 'http';

/**
 * The way to the pods of a scheduler: by the base model that the router names. The only scheduler gets everything too, so
 * that Envoy balances over its pods when no router answers; its model's requests then still win over a catch-all that is
 * about to go.
 */
export function schedulerRoute(context: Context, scheduler: Scheduler): KubernetesObject {
  const { config, namespace, make } = context;
  const { pool, endpoints } = schedulerNames(scheduler);
  const { modelName, routeTimeout } = scheduler;
  const isOnly = config.spec.schedulers.length === 1;
  const retry = retryClass(scheduler);
  return make(
    'gateway.networking.k8s.io/v1',
    'HTTPRoute',
    { name: pool, namespace, scheduler: scheduler.name, labels: retry === undefined ? {} : { [RETRY_LABEL]: retry } },
    {
      spec: {
        parentRefs: parentRefs(context),
        rules: [
          {
            matches: [
              ...(modelName === undefined
                ? []
                : [{ ...EVERYTHING, headers: [{ type: 'Exact', name: BASE_MODEL_NAME_HEADER, value: modelName }] }]),
              ...(isOnly || modelName === undefined ? [EVERYTHING] : []),
            ],
            filters: [
              {
                type: 'ResponseHeaderModifier',
                responseHeaderModifier: {
                  set: [{ name: SERVED_ENDPOINT_HEADER, value: '%UPSTREAM_REMOTE_ADDRESS%' }],
                },
              },
            ],
            ...(routeTimeout !== undefined && { timeouts: { request: routeTimeout } }),
            backendRefs: [{ group: '', kind: 'Service', name: endpoints, port: scheduler.targetPort }],
          },
        ],
      },
    },
  );
}

/** Without a selector: the EndpointSlices are the controller's, by the whole of `modelSelector`. */
export function modelService({ namespace, make }: Context, scheduler: Scheduler): KubernetesObject {
  const { targetPort, appProtocol } = scheduler;
  return make(
    'v1',
    'Service',
    { name: schedulerNames(scheduler).endpoints, namespace, scheduler: scheduler.name },
    {
      spec: {
        clusterIP: 'None',
        ports: [{ name: MODEL_PORT_NAME, port: targetPort, targetPort, protocol: 'TCP', appProtocol }],
      },
    },
  );
}
