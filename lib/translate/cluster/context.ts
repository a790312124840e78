import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import { type GatewayNames, gatewayNames } from './names';
import { type MakeObject, ownedObjects } from './owned-object';
import type { Installation, World } from './types';

/** What every object of a gateway is made from. */
export interface Context {
  readonly config: InferenceGatewayConfig;
  readonly installation: Installation;
  readonly world: World;
  readonly names: GatewayNames;
  /** Namespace of the InferenceGatewayConfig. */
  readonly namespace: string;
  readonly make: MakeObject;
  /** The longest that a request may wait in the gateway. Milliseconds. */
  readonly longestHoldMs: number;
}

export type Scheduler = InferenceGatewayConfig['spec']['schedulers'][number];

export function createContext(
  config: InferenceGatewayConfig,
  installation: Installation,
  world: World,
  longestHoldMs: number,
): Context {
  return {
    config,
    installation,
    world,
    names: gatewayNames(config),
    namespace: config.metadata.namespace,
    make: ownedObjects(config),
    longestHoldMs,
  };
}

/** Match of a route: whatever no other route matches better. */
export const EVERYTHING = { path: { type: 'PathPrefix', value: '/' } } as const;

/** Reference to the Gateway as parent of a route. */
export function parentRefs({ names, installation }: Context) {
  return [
    {
      group: 'gateway.networking.k8s.io',
      kind: 'Gateway',
      name: names.gateway,
      namespace: installation.systemNamespace,
    },
  ];
}

/** Target of a policy of its own namespace. */
export function target(kind: 'Gateway' | 'HTTPRoute', name: string) {
  return { group: 'gateway.networking.k8s.io', kind, name };
}
