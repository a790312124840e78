import { BASE_MODEL_NAME_HEADER, SERVED_ENDPOINT_HEADER } from '../../envoy/control-headers';
import { type Context, EVERYTHING, parentRefs, type Scheduler } from '../context';
import { RETRY_LABEL, retryClass } from '../envoy-gateway/backend-traffic-policies';
import { unavailable } from '../envoy-gateway/gateway-routes';
import type { KubernetesObject } from '../kubernetes-object';
import { schedulerNames } from '../names';
import { MODEL_SERVICE_PORT } from './model-service';

/**
 * The way to the pods of a scheduler: by the base model that the router names. The only scheduler gets everything too, so
 * that Envoy balances over its pods when no router answers; its model's requests then still win over a catch-all that is
 * about to go. What the router sends to another model, which Envoy does not know yet or any more, then goes nowhere: the
 * two learn of an edit each by themselves, and no request may reach the pods of another model meanwhile.
 */
export function schedulerRoute(context: Context, scheduler: Scheduler): KubernetesObject {
  const { config, names, namespace, make } = context;
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
            backendRefs: [{ group: '', kind: 'Service', name: endpoints, port: MODEL_SERVICE_PORT }],
          },
          ...(isOnly && modelName !== undefined
            ? [
                {
                  matches: [
                    {
                      ...EVERYTHING,
                      headers: [{ type: 'RegularExpression', name: BASE_MODEL_NAME_HEADER, value: '.+' }],
                    },
                  ],
                  filters: [unavailable(names)],
                },
              ]
            : []),
        ],
      },
    },
  );
}
