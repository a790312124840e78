import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toolPath } from '../../tools/tools-folder';
import { API_PORT } from '../addresses';
import { type ApiAccess, request } from '../api/request';
import { type Daemon, startDaemon } from '../daemon';
import { kubeconfig } from '../kubeconfig';
import { type CertificateFiles, selfSigned } from '../self-signed';
import { Hopeless, until } from '../until';
import {
  API_NAMES,
  apiServerArguments,
  type ControlPlaneFiles,
  controllerManagerArguments,
  ETCD,
  etcdArguments,
} from './arguments';

/** A real etcd, kube-apiserver and kube-controller-manager. */
export interface ControlPlane {
  /** Of an administrator. */
  readonly access: ApiAccess;
  readonly kubeconfig: string;
  /** The certificate of the API server. */
  readonly serving: CertificateFiles;
  /** The API server goes away, as when it is upgraded; its clients see refused connections. */
  stopApiServer(): Promise<void>;
  /** Resolves once it is ready. */
  startApiServer(): Promise<void>;
  /** Ends etcd by SIGKILL and starts it on the same data; the API server stays up. */
  restartEtcd(): Promise<void>;
  /** The log files, by program. */
  readonly logs: Readonly<Record<'etcd' | 'kube-apiserver' | 'kube-controller-manager', string>>;
  close(): Promise<void>;
}

/** Starts a control plane with its data in `folder` and its logs in `logFolder`; resolves once it is ready. */
export async function startControlPlane(folder: string, logFolder: string): Promise<ControlPlane> {
  const { files, access, serving } = await prepare(folder);
  const logs = {
    etcd: join(logFolder, 'etcd.log'),
    'kube-apiserver': join(logFolder, 'kube-apiserver.log'),
    'kube-controller-manager': join(logFolder, 'kube-controller-manager.log'),
  };
  const start = (name: keyof typeof logs, args: readonly string[]) =>
    startDaemon(name, toolPath(name), args, logs[name]);

  let etcd = start('etcd', etcdArguments(files));
  let apiServer = start('kube-apiserver', apiServerArguments(files));
  let controllers: Daemon | undefined;
  const close = async () => {
    await controllers?.stop(1_000);
    await apiServer.stop(2_000);
    await etcd.stop(2_000);
    await rm(files.etcdData, { recursive: true, force: true });
  };
  try {
    await apiServerReady(access, apiServer);
    controllers = start('kube-controller-manager', controllerManagerArguments(files));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    access,
    serving,
    kubeconfig: files.kubeconfig,
    logs,
    stopApiServer: () => apiServer.stop(),
    async startApiServer() {
      apiServer = start('kube-apiserver', apiServerArguments(files));
      await apiServerReady(access, apiServer);
    },
    async restartEtcd() {
      etcd.kill('SIGKILL');
      await etcd.stop();
      etcd = start('etcd', etcdArguments(files));
      await until('etcd is healthy', () => etcdHealthy(etcd));
    },
    close,
  };
}

interface Prepared {
  readonly files: ControlPlaneFiles;
  readonly access: ApiAccess;
  readonly serving: CertificateFiles;
}

async function prepare(folder: string): Promise<Prepared> {
  await mkdir(folder, { recursive: true });
  const serving = await selfSigned(join(folder, 'apiserver'), API_NAMES);
  const files: ControlPlaneFiles = {
    etcdData: join(folder, 'etcd'),
    certFile: serving.certFile,
    keyFile: serving.keyFile,
    tokens: join(folder, 'tokens.csv'),
    serviceAccountKey: join(folder, 'service-account.key'),
    kubeconfig: join(folder, 'kubeconfig'),
  };
  const access = {
    server: `https://127.0.0.1:${API_PORT}`,
    ca: serving.certificate,
    token: randomBytes(16).toString('hex'),
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await Promise.all([
    writeFile(files.tokens, `${access.token},admin,admin,system:masters\n`),
    writeFile(files.serviceAccountKey, privateKey.export({ type: 'pkcs8', format: 'pem' })),
    writeFile(files.kubeconfig, kubeconfig(access)),
  ]);
  return { files, access, serving };
}

async function apiServerReady(access: ApiAccess, apiServer: Daemon): Promise<void> {
  await until(
    'kube-apiserver is ready',
    async () => {
      stillRunning(apiServer);
      return (await request(access, 'GET', '/readyz')) !== undefined;
    },
    { timeout: 120_000 },
  );
}

async function etcdHealthy(etcd: Daemon): Promise<boolean> {
  stillRunning(etcd);
  return (await fetch(`${ETCD}/health`)).ok;
}

function stillRunning(daemon: Daemon): void {
  try {
    daemon.check();
  } catch (error) {
    throw new Hopeless((error as Error).message);
  }
}
