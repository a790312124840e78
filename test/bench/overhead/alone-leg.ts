import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, startEnvoy } from './envoy';
import type { Leg, LegOptions } from './leg';

/** Leg (a): Envoy, round robin over the pods, no processor. */
export async function startAloneLeg(options: LegOptions): Promise<Leg> {
  const port = await freePort();
  const bootstrapFile = join(options.folder, 'bootstrap.json');
  await writeFile(bootstrapFile, JSON.stringify(bootstrap(port, options)));
  const envoy = await startEnvoy(options.envoyBinary, bootstrapFile, port);
  return { name: 'alone', port, pids: () => ({ envoy: envoy.pid }), close: () => envoy.close() };
}

function bootstrap(listenPort: number, { folder, pods, podPort }: LegOptions): object {
  return {
    admin: { address: { pipe: { path: join(folder, 'admin.sock') } } },
    static_resources: {
      listeners: [
        {
          name: 'alone',
          address: socketAddress('127.0.0.1', listenPort),
          filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: HTTP }] }],
        },
      ],
      clusters: [
        {
          name: 'pods',
          type: 'STATIC',
          lb_policy: 'ROUND_ROBIN',
          load_assignment: {
            cluster_name: 'pods',
            endpoints: [{ lb_endpoints: pods.map((pod) => ({ endpoint: { address: socketAddress(pod, podPort) } })) }],
          },
        },
      ],
    },
  };
}

const TYPES = 'type.googleapis.com/envoy.extensions.filters';

const HTTP = {
  '@type': `${TYPES}.network.http_connection_manager.v3.HttpConnectionManager`,
  stat_prefix: 'alone',
  use_remote_address: true,
  route_config: {
    virtual_hosts: [
      { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'pods', timeout: '0s' } }] },
    ],
  },
  http_filters: [{ name: 'envoy.filters.http.router', typed_config: { '@type': `${TYPES}.http.router.v3.Router` } }],
};

function socketAddress(address: string, port: number): object {
  return { socket_address: { address, port_value: port } };
}
