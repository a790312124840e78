import type { V1EndpointSlice, V1Service } from '@kubernetes/client-node';
import type { Client } from '../api/client';
import { type Informer, keyOf } from '../api/informer';
import { shell } from '../shell';
import { SERVICE_LABEL, servingEndpoints } from './endpoints';
import { Forwarder } from './forwarder';
import { loadBalancers } from './load-balancers';

export interface ServiceProxy {
  readonly loadBalancerIps: (service: V1Service) => readonly string[];
  close(): Promise<void>;
}

/**
 * Stands in for kube-proxy and for the load balancers of a cloud: every TCP port of every Service is served at its cluster
 * address, and at the address of its load balancer, which it is given unless it is of `otherClass`.
 */
export function startServiceProxy(
  client: Client,
  services: Informer<V1Service>,
  slices: Informer<V1EndpointSlice>,
  otherClass?: string,
): ServiceProxy {
  const forwarders = new Map<string, Forwarder>();
  const addresses = new Set<string>();
  const balancers = loadBalancers(client, otherClass);
  let work: Promise<void> = Promise.resolve();
  let closed = false;

  const bind = async (ip: string): Promise<void> => {
    if (addresses.has(ip)) return;
    addresses.add(ip);
    await shell('ip addr replace "$1/32" dev lo', ip);
  };
  const close = async (key: string): Promise<void> => {
    const forwarder = forwarders.get(key);
    forwarders.delete(key);
    await forwarder?.close();
  };
  const sync = async (service: V1Service, deleted: boolean): Promise<void> => {
    const key = keyOf(service);
    const wanted = new Set<string>();
    if (!deleted) {
      const endpoints = servingEndpoints(slices, service);
      for (const ip of [...clusterIps(service), ...balancers.ipsOf(service)]) {
        await bind(ip);
        for (const { port, name = '', protocol } of service.spec?.ports ?? []) {
          if (protocol !== undefined && protocol !== 'TCP') continue;
          const id = `${key} ${ip}:${port}`;
          wanted.add(id);
          const forwarder = forwarders.get(id) ?? new Forwarder(ip, port);
          forwarders.set(id, forwarder);
          forwarder.setTargets(
            endpoints.flatMap((endpoint) => {
              const target = endpoint.ports.get(name);
              return target === undefined ? [] : [{ ip: endpoint.ip, port: target }];
            }),
          );
        }
      }
      await balancers.publish(service);
    }
    for (const id of forwarders.keys()) if (id.startsWith(`${key} `) && !wanted.has(id)) await close(id);
  };
  const enqueue = (service: V1Service, deleted: boolean) => {
    // An address that is listened at again would be taken for the next cluster of the process.
    if (closed) return;
    work = work
      .then(() => sync(service, deleted))
      .catch((error: unknown) => console.error(`service ${keyOf(service)}: ${error}`));
  };

  services.onChange(enqueue);
  slices.onChange(({ metadata }) => {
    const service = services.get(`${metadata?.namespace}/${metadata?.labels?.[SERVICE_LABEL]}`);
    if (service !== undefined) enqueue(service, false);
  });
  return {
    loadBalancerIps: balancers.ipsOf,
    async close() {
      closed = true;
      await work;
      await Promise.all([...forwarders.keys()].map(close));
    },
  };
}

function clusterIps({ spec }: V1Service): readonly string[] {
  return spec?.clusterIP === undefined || spec.clusterIP === 'None' || spec.clusterIP === '' ? [] : [spec.clusterIP];
}
