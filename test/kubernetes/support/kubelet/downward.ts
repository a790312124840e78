import type { V1Pod, V1ResourceFieldSelector } from '@kubernetes/client-node';
import { parseQuantity } from './quantity';

/** What a pod may learn of itself. `status.*` is of the argument `addresses`, which the API server may not know yet. */
export function fieldValue(pod: V1Pod, path: string, addresses: { podIp: string; hostIp: string }): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null) return metadata?.[keyed[1] as 'labels' | 'annotations']?.[keyed[2]!] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata?.name ?? '';
    case 'metadata.namespace':
      return metadata?.namespace ?? '';
    case 'metadata.uid':
      return metadata?.uid ?? '';
    case 'metadata.labels':
    case 'metadata.annotations':
      return lines(metadata?.[path.slice('metadata.'.length) as 'labels' | 'annotations'] ?? {});
    case 'spec.nodeName':
      return spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? '';
    case 'status.podIP':
    case 'status.podIPs':
      return addresses.podIp;
    case 'status.hostIP':
    case 'status.hostIPs':
      return addresses.hostIp;
    default:
      throw new Error(`fieldPath ${path} is not known`);
  }
}

const lines = (map: Readonly<Record<string, string>>) =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');

/** What the node has to give; a container without a limit may use all. */
export const ALLOCATABLE: Readonly<Record<string, string>> = {
  cpu: '64',
  memory: '256Gi',
  'ephemeral-storage': '500Gi',
};

/** A container's request or limit, in units of the divisor (default 1), rounded up. */
export function resourceValue(pod: V1Pod, containerName: string, selector: V1ResourceFieldSelector): string {
  const name = selector.containerName ?? containerName;
  const spec = pod.spec!;
  const container = [...spec.containers, ...(spec.initContainers ?? [])].find((one) => one.name === name);
  const dot = selector.resource.indexOf('.');
  const [kind, resource] = [selector.resource.slice(0, dot), selector.resource.slice(dot + 1)];
  if (container === undefined || (kind !== 'limits' && kind !== 'requests')) {
    throw new Error(`resourceFieldRef ${selector.resource} of container ${name} is not known`);
  }
  const quantity = container.resources?.[kind]?.[resource] ?? (kind === 'limits' ? ALLOCATABLE[resource] : undefined);
  const divisor = parseQuantity(selector.divisor && selector.divisor !== '0' ? selector.divisor : '1');
  // A thousandth of a core is not a binary fraction: without rounding first, 100m / 1m would become 101.
  return String(Math.ceil(Number((parseQuantity(quantity ?? '0') / divisor).toFixed(6))));
}
