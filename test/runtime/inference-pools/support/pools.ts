import type { BackendPool, PoolPicker } from '../../../../runtime/inference-pools/backend-pool';
import type { RouteBackend } from '../../../../runtime/inference-pools/route-backends';
import type { DiscoveryServer } from '../../../../runtime/inference-pools/xds/endpoint-discovery';

export const DISCOVERY: DiscoveryServer = {
  address: 'dns:///controller.system.svc:9006',
  tls: { ca: 'CA', certificate: 'CERTIFICATE', key: 'KEY' },
};

/** Asked at port 9002 of the Service `NAME-epp`. */
export function picked(name: string, changes: Partial<PoolPicker> = {}): BackendPool {
  const picker: PoolPicker = {
    service: { name: `${name}-epp`, port: 9002 },
    failsOpen: false,
    bodies: 'full-duplex',
    isOurs: false,
    ...changes,
  };
  return { ...unpicked(name), picker };
}

/** A pool that has no picker. */
export function unpicked(name: string): BackendPool {
  return { namespace: 'models', name, http2: false };
}

export const leadsTo = (pool: string, weight = 1): RouteBackend => ({
  pool: { namespace: 'models', name: pool },
  weight,
});

/** A backend that is no pool. */
export const leadsElsewhere = (weight = 1): RouteBackend => ({ weight });
