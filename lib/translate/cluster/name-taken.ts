import type { InferenceGatewayConfig } from '../../api/inference-gateway-config/inference-gateway-config';
import type { KubernetesObject } from './kubernetes-object';
import { gatewayNames } from './names';
import type { Problem, World } from './types';

/**
 * Gateways of all namespaces share the system namespace, and so their names: the oldest config has the name, and the
 * others change nothing. Of two of one age the first by namespace.
 */
export function nameTaken(config: InferenceGatewayConfig, world: World): Problem | undefined {
  const { metadata } = config;
  const own = gatewayNames(config).gateway;
  const owner = world.configs
    .filter((other) => gatewayNames(other as Parameters<typeof gatewayNames>[0]).gateway === own)
    .filter((other) => other.metadata.namespace !== metadata.namespace)
    .find((other) => age(other) < age(config as unknown as KubernetesObject));
  if (owner === undefined) return undefined;
  const { namespace, name } = owner.metadata;
  return {
    condition: 'Accepted',
    reason: 'NameTaken',
    message: `InferenceGatewayConfig ${namespace}/${name} is older and has this name: names are unique in the cluster; make this gateway under another name`,
    blocks: true,
  };
}

/** Sorts as text: the older one first. One that has no time yet is the youngest. */
function age({ metadata }: KubernetesObject): string {
  return `${metadata.creationTimestamp ?? '9999'} ${metadata.namespace ?? ''}`;
}
