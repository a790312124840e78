import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { findEnvoy } from '../../../runtime/local/envoy-binary';

/** An Envoy as a gateway of the Gateway API Inference Extension would set it up, with one pool. */
export interface GieEnvoy {
  /** `http://127.0.0.1:PORT` of the listener that sends bodies this way. */
  url(mode: ListenerName): string;
  stop(): Promise<void>;
}

/** `duplex` is what the protocol demands; in `quiet` the response body is sent only where the picker asks for it. */
export type ListenerName = 'duplex' | 'buffered' | 'streamed' | 'quiet';

const MODES = {
  duplex: ['FULL_DUPLEX_STREAMED', 'FULL_DUPLEX_STREAMED'],
  buffered: ['BUFFERED', 'BUFFERED'],
  streamed: ['BUFFERED', 'STREAMED'],
  quiet: ['BUFFERED', 'NONE'],
} as const satisfies Record<ListenerName, readonly [request: string, response: string]>;

export interface GieEnvoyOptions {
  readonly picker: { readonly host: string; readonly port: number };
  /** Reach the picker over TLS, without a look at its certificate. */
  readonly tls?: boolean;
  /** `ip:port` of the pool's endpoints. */
  readonly endpoints: readonly string[];
}

/**
 * The header `x-subset` of a request becomes the subset hint. Requests of which the picker names no endpoint of the pool
 * fail: there is no balancing to fall back on.
 */
export async function startGieEnvoy(options: GieEnvoyOptions): Promise<GieEnvoy> {
  const directory = await mkdtemp(join(tmpdir(), 'gie-envoy-'));
  const config = join(directory, 'envoy.json');
  const adminFile = join(directory, 'admin');
  await writeFile(config, JSON.stringify(bootstrap(options)));
  const args = ['-c', config, '--admin-address-path', adminFile, '--concurrency', '1', '--disable-hot-restart'];
  const envoy = spawn(await findEnvoy(), [...args, '--log-level', 'error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(envoy, 'exit');
  const stop = async () => {
    envoy.kill();
    await ended;
    await rm(directory, { recursive: true });
  };
  try {
    const ports = await listenerPorts(adminFile, () => envoy.exitCode !== null);
    return { url: (mode) => `http://127.0.0.1:${ports.get(mode)}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Listeners {
  listener_statuses?: { name: string; local_address: { socket_address: { port_value: number } } }[];
}

async function listenerPorts(adminFile: string, ended: () => boolean): Promise<ReadonlyMap<string, number>> {
  while (!ended()) {
    const admin = await readFile(adminFile, 'utf8').catch(() => '');
    if (admin !== '') {
      const ready = await request(`http://${admin}/ready`);
      await ready.body.dump();
      if (ready.statusCode === 200) {
        const answer = await request(`http://${admin}/listeners?format=json`);
        const { listener_statuses: found = [] } = (await answer.body.json()) as Listeners;
        return new Map(found.map(({ name, local_address: at }) => [name, at.socket_address.port_value]));
      }
    }
    await sleep(20);
  }
  throw new Error('Envoy ended before it was ready');
}

const typed = (name: string, fields: object = {}) => ({ '@type': `type.googleapis.com/envoy.${name}`, ...fields });
const address = (host: string, port: number) => ({ address: { socket_address: { address: host, port_value: port } } });

const DESTINATION = 'x-gateway-destination-endpoint';
const SERVED = 'x-gateway-destination-endpoint-served';
const metadataKey = (key: string) => ({ key: 'envoy.lb', path: [{ key }] });

function listener(name: ListenerName): unknown {
  const [requestMode, responseMode] = MODES[name];
  const filters = [
    {
      name: 'envoy.filters.http.header_to_metadata',
      typed_config: typed('extensions.filters.http.header_to_metadata.v3.Config', {
        request_rules: [
          {
            header: 'x-subset',
            remove: true,
            on_header_present: {
              metadata_namespace: 'envoy.lb.subset_hint',
              key: 'x-gateway-destination-endpoint-subset',
              type: 'STRING',
            },
          },
        ],
      }),
    },
    {
      name: 'envoy.filters.http.ext_proc',
      typed_config: typed('extensions.filters.http.ext_proc.v3.ExternalProcessor', {
        grpc_service: { envoy_grpc: { cluster_name: 'picker' } },
        failure_mode_allow: false,
        message_timeout: '20s',
        allow_mode_override: true,
        metadata_options: {
          forwarding_namespaces: { untyped: ['envoy.lb', 'envoy.lb.subset_hint'] },
          receiving_namespaces: { untyped: ['envoy.lb'] },
        },
        processing_mode: {
          request_header_mode: 'SEND',
          response_header_mode: 'SEND',
          request_body_mode: requestMode,
          response_body_mode: responseMode,
          request_trailer_mode: 'SEND',
          response_trailer_mode: responseMode === 'NONE' ? 'SKIP' : 'SEND',
        },
      }),
    },
    { name: 'envoy.filters.http.router', typed_config: typed('extensions.filters.http.router.v3.Router') },
  ];
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'pool', timeout: '0s' } }];
  const manager = typed('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: name,
    http_protocol_options: { enable_trailers: true },
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: filters,
  });
  return {
    name,
    ...address('127.0.0.1', 0),
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
}

function protocolOptions(explicit: object): object {
  return {
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'extensions.upstreams.http.v3.HttpProtocolOptions',
        { explicit_http_config: explicit },
      ),
    },
  };
}

function cluster(name: string, endpoints: readonly object[]): object {
  return {
    name,
    type: 'STATIC',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: endpoints.map((endpoint) => ({ endpoint })) }],
    },
  };
}

function bootstrap({ picker, tls, endpoints }: GieEnvoyOptions): unknown {
  const pool = endpoints.map((endpoint) => {
    const { hostname, port } = new URL(`http://${endpoint}`);
    return address(hostname, Number(port));
  });
  return {
    admin: address('127.0.0.1', 0),
    static_resources: {
      listeners: (Object.keys(MODES) as ListenerName[]).map(listener),
      clusters: [
        {
          ...cluster('picker', [address(picker.host, picker.port)]),
          ...protocolOptions({ http2_protocol_options: {} }),
          ...(tls && {
            transport_socket: {
              name: 'envoy.transport_sockets.tls',
              typed_config: typed('extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
                common_tls_context: { alpn_protocols: ['h2'] },
              }),
            },
          }),
        },
        {
          ...cluster('pool', pool),
          ...protocolOptions({ http_protocol_options: { enable_trailers: true } }),
          load_balancing_policy: {
            policies: [
              {
                typed_extension_config: {
                  name: 'envoy.load_balancing_policies.override_host',
                  typed_config: typed('extensions.load_balancing_policies.override_host.v3.OverrideHost', {
                    override_host_sources: [{ metadata: metadataKey(DESTINATION) }, { header: DESTINATION }],
                    selected_host_key: metadataKey(SERVED),
                    fallback_policy: {
                      policies: [
                        {
                          typed_extension_config: {
                            name: 'envoy.load_balancing_policies.round_robin',
                            typed_config: typed('extensions.load_balancing_policies.round_robin.v3.RoundRobin'),
                          },
                        },
                      ],
                    },
                  }),
                },
              },
            ],
          },
        },
      ],
    },
  };
}
