import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { findEnvoy } from '../../../runtime/local/envoy-binary';

export interface TestEnvoy {
  /** `http://127.0.0.1:PORT` of the listener with the ext_proc filter. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface TestEnvoyOptions {
  /** `host:port` of the processor and of the upstream. */
  readonly processor: Address;
  readonly upstream: Address;
  /** `envoy.reloadable_features.ext_proc_graceful_grpc_close`. */
  readonly gracefulClose: boolean;
  /** Paths of PEM files: whom Envoy trusts as the processor, and what it shows of itself. Default: no TLS. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const BUFFER_BYTES = 64 * 1024 * 1024;

/** A real Envoy with one ext_proc filter that fails closed, so that a failed stream is a failed request. */
export async function startTestEnvoy(options: TestEnvoyOptions): Promise<TestEnvoy> {
  const dir = await mkdtemp(join(tmpdir(), 'ext-proc-envoy-'));
  const config = join(dir, 'envoy.json');
  const adminFile = join(dir, 'admin');
  await writeFile(config, JSON.stringify(bootstrap(options)));
  const args = ['-c', config, '--admin-address-path', adminFile, '--concurrency', '1', '--disable-hot-restart'];
  const envoy = spawn(await findEnvoy(), [...args, '--log-level', 'error'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(envoy, 'exit');
  const stop = async () => {
    envoy.kill();
    await ended;
    await rm(dir, { recursive: true });
  };
  try {
    const port = await listenerPort(adminFile, () => envoy.exitCode !== null);
    return { url: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Listeners {
  listener_statuses?: { name: string; local_address: { socket_address: { port_value: number } } }[];
}

async function listenerPort(adminFile: string, ended: () => boolean): Promise<number> {
  while (!ended()) {
    const admin = await readFile(adminFile, 'utf8').catch(() => '');
    if (admin !== '') {
      const ready = await request(`http://${admin}/ready`);
      await ready.body.dump();
      if (ready.statusCode === 200) {
        const answer = await request(`http://${admin}/listeners?format=json`);
        const listeners = (await answer.body.json()) as Listeners;
        const main = listeners.listener_statuses?.find(({ name }) => name === 'main');
        if (main !== undefined) return main.local_address.socket_address.port_value;
      }
    }
    await sleep(20);
  }
  throw new Error('Envoy ended before it was ready');
}

const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.${name}` });
const address = ({ host, port }: Address) => ({ address: { socket_address: { address: host, port_value: port } } });
const ANY_PORT = { host: '127.0.0.1', port: 0 };

function bootstrap({ processor, upstream, gracefulClose, tls }: TestEnvoyOptions): unknown {
  const extProc = {
    name: 'envoy.filters.http.ext_proc',
    typed_config: {
      ...type('extensions.filters.http.ext_proc.v3.ExternalProcessor'),
      grpc_service: { envoy_grpc: { cluster_name: 'processor' } },
      failure_mode_allow: false,
      message_timeout: '20s',
      allow_mode_override: true,
      response_attributes: ['upstream.address', 'upstream.request_attempt_count'],
      processing_mode: {
        request_header_mode: 'SEND',
        response_header_mode: 'SEND',
        request_body_mode: 'BUFFERED',
        response_body_mode: 'NONE',
        request_trailer_mode: 'SKIP',
        response_trailer_mode: 'SKIP',
      },
    },
  };
  const routes = [
    // Answered by Envoy after the filter, for load without an upstream.
    { match: { prefix: '/direct' }, direct_response: { status: 200, body: { inline_string: 'ok' } } },
    { match: { prefix: '/' }, route: { cluster: 'upstream', timeout: '0s' } },
  ];
  const connectionManager = {
    ...type('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'main',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [
      extProc,
      { name: 'envoy.filters.http.router', typed_config: type('extensions.filters.http.router.v3.Router') },
    ],
  };
  const http2 = {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      ...type('extensions.upstreams.http.v3.HttpProtocolOptions'),
      explicit_http_config: { http2_protocol_options: {} },
    },
  };
  const cluster = (name: string, at: Address) => ({
    name,
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: address(at) }] }] },
  });
  const flag = { 'envoy.reloadable_features.ext_proc_graceful_grpc_close': gracefulClose };
  return {
    admin: address(ANY_PORT),
    layered_runtime: { layers: [{ name: 'static', static_layer: flag }] },
    static_resources: {
      listeners: [
        {
          name: 'main',
          ...address(ANY_PORT),
          per_connection_buffer_limit_bytes: BUFFER_BYTES,
          filter_chains: [
            { filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: connectionManager }] },
          ],
        },
      ],
      clusters: [
        {
          ...cluster('processor', processor),
          typed_extension_protocol_options: http2,
          ...(tls && { transport_socket: upstreamTls(tls) }),
        },
        cluster('upstream', upstream),
      ],
    },
  };
}

function upstreamTls({ ca, cert, key }: NonNullable<TestEnvoyOptions['tls']>): unknown {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      ...type('extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      sni: 'localhost',
      common_tls_context: {
        alpn_protocols: ['h2'],
        tls_certificates: [{ certificate_chain: { filename: cert }, private_key: { filename: key } }],
        validation_context: {
          trusted_ca: { filename: ca },
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'localhost' } }],
        },
      },
    },
  };
}
