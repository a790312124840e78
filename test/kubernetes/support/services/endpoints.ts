import type { V1EndpointSlice, V1Service } from '@kubernetes/client-node';
import type { Informer } from '../api/informer';

export interface Endpoint {
  readonly ip: string;
  readonly hostname: string | undefined;
  /** By the name of the Service's port, `''` for one without. */
  readonly ports: ReadonlyMap<string, number>;
}

export const SERVICE_LABEL = 'kubernetes.io/service-name';

/**
 * Where new connections to a Service go: its ready endpoints, and where there are none those that still serve while they
 * end, as kube-proxy does it.
 */
export function servingEndpoints(slices: Informer<V1EndpointSlice>, { metadata }: V1Service): readonly Endpoint[] {
  const all = slices
    .list()
    .filter((slice) => slice.metadata?.namespace === metadata?.namespace)
    .filter((slice) => slice.metadata?.labels?.[SERVICE_LABEL] === metadata?.name)
    .flatMap((slice) => {
      const ports = new Map((slice.ports ?? []).map(({ name, port }) => [name ?? '', port ?? 0]));
      return (slice.endpoints ?? []).map((endpoint) => ({ ...endpoint, ports }));
    });
  const ready = all.filter(({ conditions }) => conditions?.ready !== false);
  const ending = all.filter(({ conditions }) => conditions?.serving === true && conditions.terminating === true);
  return (ready.length > 0 ? ready : ending).map(({ addresses, hostname, ports }) => ({
    ip: addresses[0]!,
    hostname: hostname ?? undefined,
    ports,
  }));
}
