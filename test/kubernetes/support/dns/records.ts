import type { V1EndpointSlice, V1Service } from '@kubernetes/client-node';
import { CLUSTER_DOMAIN } from '../addresses';
import type { Informer } from '../api/informer';
import { type Endpoint, servingEndpoints } from '../services/endpoints';
import { loadBalancerName } from '../services/load-balancers';

export type DnsRecord =
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'CNAME'; readonly domain: string }
  | { readonly type: 'SRV'; readonly target: string; readonly port: number };

export interface DnsSource {
  readonly services: Informer<V1Service>;
  readonly slices: Informer<V1EndpointSlice>;
  /** The addresses of a Service's load balancer. */
  readonly loadBalancerIps: (service: V1Service) => readonly string[];
  /** Names that are no Service's, and their addresses. */
  readonly hosts: ReadonlyMap<string, string>;
}

const SUFFIX = `.svc.${CLUSTER_DOMAIN}`;

/** What a name stands for, as the cluster's DNS says it; undefined where there is no such name. */
export function recordsOf(question: string, source: DnsSource): readonly DnsRecord[] | undefined {
  const name = question.toLowerCase().replace(/\.$/, '');
  const host = source.hosts.get(name);
  if (host !== undefined) return [a(host)];
  const balanced = source.services.list().find((service) => loadBalancerName(service) === name);
  if (balanced !== undefined) return source.loadBalancerIps(balanced).map(a);
  if (!name.endsWith(SUFFIX)) return undefined;

  const labels = name.slice(0, -SUFFIX.length).split('.');
  const [service, namespace] = labels.slice(-2);
  const rest = labels.slice(0, -2);
  const found = source.services.get(`${namespace}/${service}`);
  if (found === undefined) return undefined;
  const { type, clusterIP, externalName } = found.spec ?? {};
  if (type === 'ExternalName') return rest.length === 0 ? [{ type: 'CNAME', domain: externalName! }] : undefined;

  const headless = clusterIP === 'None';
  const endpoints = headless ? servingEndpoints(source.slices, found) : [];
  if (rest.length === 0) return headless ? endpoints.map(({ ip }) => a(ip)) : [a(clusterIP!)];
  if (rest.length === 1) {
    const host = endpoints.filter((endpoint) => hostOf(endpoint) === rest[0]);
    return host.length === 0 ? undefined : host.map(({ ip }) => a(ip));
  }
  if (rest.length !== 2 || rest[1] !== '_tcp') return undefined;
  const port = (found.spec?.ports ?? []).find((one) => `_${one.name}` === rest[0]);
  if (port === undefined) return undefined;
  const own = `${service}.${namespace}${SUFFIX}`;
  if (!headless) return [{ type: 'SRV', target: own, port: port.port }];
  return endpoints.map((endpoint) => ({
    type: 'SRV',
    target: `${hostOf(endpoint)}.${own}`,
    port: endpoint.ports.get(port.name ?? '') ?? port.port,
  }));
}

const a = (address: string): DnsRecord => ({ type: 'A', address });

/** An endpoint without a name of its own has its address. */
const hostOf = ({ hostname, ip }: Endpoint) => hostname ?? ip.replaceAll('.', '-');
