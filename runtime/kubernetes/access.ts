import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Clock } from './clock';
import type { KubeConfig } from './kube-config';

/** Where the API server is, and what it takes to be let in. */
export interface ClusterAccess {
  /** `https://host:port`, with a path where there is one, and no slash at the end. */
  readonly server: string;
  /** Of the pod or of the kubeconfig's context; undefined where neither says one. */
  readonly namespace: string | undefined;
  /** For the next request. Rejects only where there have never been any. `refused`: the API server refused the last ones. */
  credentials(refused?: boolean): Promise<Credentials>;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** The same object for as long as nothing in it changes. */
  readonly connection: ConnectionSettings;
}

export interface ConnectionSettings {
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;
  /** `http:`, `https:` or `socks5:` URL of a proxy on the way. */
  readonly proxy: string | undefined;
}

export interface AccessOptions {
  /** Path of a kubeconfig. Absent: the files of `KUBECONFIG`; without these the service account of the pod. */
  readonly kubeconfig?: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** In front of the paths of a pod's service account. Default none. */
  readonly root?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Tokens and certificates are renewed in their files long before they end. Milliseconds. */
const READ_EVERY_MS = 30_000;

/** After a fault, and for credentials that are refused again and again. Milliseconds. */
const READ_AGAIN_MS = 5_000;

/** A plugin that hangs is waited for so long, and asked again so much later: it may still be there. Milliseconds. */
const READ_LIMIT_MS = 60_000;
const HUNG_AGAIN_MS = 300_000;

/** A request that has credentials which may still be good waits no longer for others. Milliseconds. */
const WAIT_MS = 1_000;

/**
 * Finds the cluster and reads what it takes, through Kubernetes' own client: files, plugins that are executed, OpenID
 * Connect. Everything is read again after 30 s; a plugin is asked again when what it gave ends. Rejects where no
 * cluster is named, and where the first reading fails.
 */
export async function openAccess(options: AccessOptions): Promise<ClusterAccess> {
  const { clock, log } = options;
  // Only a process of a cluster loads it.
  const { KubeConfig } = await import('./kube-config.js');
  const load = loader(options, () => new KubeConfig());
  let config = load();
  const { server } = currentCluster(config);
  let held: Credentials | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let readAgainAt = 0;
  let reading: Promise<Credentials> | undefined;
  let toldFault: string | undefined;

  async function read(refused: boolean): Promise<Credentials> {
    const next = load();
    if (currentCluster(next).server !== server) throw new Error(`the kubeconfig names another server than ${server}`);
    // A plugin's answer is kept by the object that executed it.
    if (refused || !hasPlugin(next) || next.exportConfig() !== config.exportConfig()) config = next;
    const request: RequestOptions = {};
    await config.applyToHTTPSOptions(request);
    const connection = connectionSettings(request, currentCluster(config).proxyUrl);
    return {
      headers: headersOf(request),
      connection: held !== undefined && isSame(held.connection, connection) ? held.connection : connection,
    };
  }

  async function renew(refused: boolean): Promise<Credentials> {
    readAt = clock.now();
    let isHung = false;
    const done = new AbortController();
    const limit = clock.sleep(READ_LIMIT_MS, done.signal).then(() => {
      isHung = true;
      throw new Error(`credentials were not given within ${READ_LIMIT_MS / 1000} s`);
    });
    try {
      held = await Promise.race([read(refused), limit]);
      toldFault = undefined;
      readAgainAt = readAt + READ_EVERY_MS;
    } catch (error) {
      if (held === undefined) throw error;
      const { message } = error as Error;
      if (message !== toldFault) log.warn(`access to the cluster kept as it was: ${message}`);
      toldFault = message;
      readAgainAt = clock.now() + (isHung ? HUNG_AGAIN_MS : READ_AGAIN_MS);
    } finally {
      done.abort();
    }
    return held;
  }

  async function credentials(refused = false): Promise<Credentials> {
    const now = clock.now();
    const isDue = now >= readAgainAt || (refused && now >= readAt + READ_AGAIN_MS);
    if (held !== undefined && !isDue) return held;
    reading ??= renew(refused).finally(() => {
      reading = undefined;
    });
    if (held === undefined) return reading;
    const waited = new AbortController();
    const former = held;
    const wait = clock.sleep(WAIT_MS, waited.signal).then(() => former);
    return Promise.race([reading, wait]).finally(() => waited.abort());
  }

  await credentials();
  return { server, namespace: config.getContextObject(config.getCurrentContext())?.namespace, credentials };
}

function loader({ kubeconfig, root = '' }: AccessOptions, create: () => KubeConfig): () => KubeConfig {
  const files = kubeconfig ?? process.env.KUBECONFIG;
  const inPod = process.env.KUBERNETES_SERVICE_HOST !== undefined && existsSync(join(root, SERVICE_ACCOUNT, 'token'));
  if (!files && !inPod) {
    throw new Error('no cluster is named: set KUBECONFIG, or run in a pod that has a service account token');
  }
  return () => {
    const config = create();
    try {
      if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
      else if (files) config.loadFromDefault();
      else config.loadFromCluster(root);
      return config;
    } catch (error) {
      const what = files ? `kubeconfig ${files}` : 'the service account of the pod';
      throw new Error(`${what} cannot be used: ${(error as Error).message}`, { cause: error });
    }
  };
}

function currentCluster(config: KubeConfig) {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current context with a cluster: set current-context');
  // Without TLS there is nothing to verify, but the library wants to hear so.
  if (cluster.server.startsWith('http:')) Object.assign(cluster, { skipTLSVerify: true });
  return cluster;
}

function hasPlugin(config: KubeConfig): boolean {
  const user = config.getCurrentUser();
  return Boolean(user?.exec) || Boolean(user?.authProvider && user.authProvider.name !== 'tokenFile');
}

function headersOf({ headers = {}, auth }: RequestOptions): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) result[name.toLowerCase()] = String(value).trim();
  if (typeof auth === 'string') result.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  return result;
}

function connectionSettings(request: RequestOptions, proxy: string | undefined): ConnectionSettings {
  const { ca, cert, key, servername, rejectUnauthorized } = request;
  const tls = { ca, cert, key, servername, rejectUnauthorized };
  const present = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  return { tls: present, proxy };
}

function isSame(a: ConnectionSettings, b: ConnectionSettings): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
