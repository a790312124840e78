import { DEFAULT_BACKEND_HEADER } from '../../envoy/control-headers';
import { ROUTER_UNAVAILABLE } from '../../envoy/router-unavailable';
import { type Context, EVERYTHING, parentRefs } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { type GatewayNames, PORTS } from '../names';

/** Paths that the router answers without a token; Envoy answers its own before any route. */
const HEALTH_PATHS = ['/health', '/ready', '/readyz'];

/** Anything else at those paths may name a model, for which a token is needed. */
const HEALTH_METHODS = ['GET', 'HEAD'];

/** Routes that belong to no scheduler. */
export function gatewayRoutes(context: Context): KubernetesObject[] {
  const { config, namespace, names } = context;
  const { schedulers, bbr } = config.spec;
  const route = (name: string, rule: Readonly<Record<string, unknown>>) =>
    context.make(
      'gateway.networking.k8s.io/v1',
      'HTTPRoute',
      { name, namespace },
      { spec: { parentRefs: parentRefs(context), rules: [rule] } },
    );
  return [
    unavailableFilter(context),
    route(names.router, certificateRule(context)),
    ...referenceGrants(context),
    route(names.health, {
      matches: HEALTH_PATHS.flatMap((value) =>
        HEALTH_METHODS.map((method) => ({ path: { type: 'Exact', value }, method })),
      ),
      filters: [unavailable(names)],
    }),
    // Requests begin here, and go on to the route of the model that the router finds. Without a route that fits at
    // first Envoy would not ask the router at all.
    ...(schedulers.length > 1 ? [route(names.catchAll, { matches: [EVERYTHING], filters: [unavailable(names)] })] : []),
    ...(bbr.defaultBackend === undefined
      ? []
      : [
          route(names.defaultBackend, {
            matches: [{ ...EVERYTHING, headers: [{ type: 'Exact', name: DEFAULT_BACKEND_HEADER, value: 'true' }] }],
            backendRefs: [{ group: '', kind: 'Service', name: bbr.defaultBackend.name, port: bbr.defaultBackend.port }],
          }),
        ]),
  ];
}

/** Filter of an HTTPRoute of the gateway: the answer where no router has found a way that Envoy knows. */
export function unavailable(names: GatewayNames) {
  return {
    type: 'ExtensionRef',
    extensionRef: { group: 'gateway.envoyproxy.io', kind: 'HTTPRouteFilter', name: names.unavailable },
  };
}

/**
 * Nothing ever takes this way: no client can send the header, and no router sets it so. Envoy Gateway gives Envoys the
 * certificate that they show to backends only where a route leads to a backend with TLS; the processor alone would have
 * them wait for it for ever.
 */
function certificateRule({ names, installation }: Context) {
  return {
    matches: [{ ...EVERYTHING, headers: [{ type: 'Exact', name: DEFAULT_BACKEND_HEADER, value: 'never' }] }],
    backendRefs: [
      { group: '', kind: 'Service', name: names.router, namespace: installation.systemNamespace, port: PORTS.router },
    ],
  };
}

/** Lets that route name the routers' Service, which is in another namespace. */
function referenceGrants({ installation, namespace, names, make }: Context): KubernetesObject[] {
  if (namespace === installation.systemNamespace) return [];
  return [
    make(
      'gateway.networking.k8s.io/v1beta1',
      'ReferenceGrant',
      { name: names.router, namespace: installation.systemNamespace },
      {
        spec: {
          from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace }],
          to: [{ group: '', kind: 'Service', name: names.router }],
        },
      },
    ),
  ];
}

/** The answer while no router answers. */
function unavailableFilter({ namespace, names, make }: Context): KubernetesObject {
  return make(
    'gateway.envoyproxy.io/v1alpha1',
    'HTTPRouteFilter',
    { name: names.unavailable, namespace },
    {
      spec: {
        directResponse: {
          statusCode: ROUTER_UNAVAILABLE.status,
          contentType: 'application/json',
          body: { type: 'Inline', inline: ROUTER_UNAVAILABLE.body },
        },
      },
    },
  );
}
