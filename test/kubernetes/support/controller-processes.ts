import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from './cluster';
import { type Daemon, startDaemon } from './daemon';
import { SYSTEM_NAMESPACE } from './install-gateway';
import { kubeconfig } from './kubeconfig';

const ROOT = join(__dirname, '..', '..', '..');
const ACCOUNT = 'hyperpod-inference-gateway-controller';
const KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

/** Processes of the controller beside the cluster, each with the rights of the shipped roles and no others. */
export interface ControllerProcesses {
  start(name: string): ControllerProcess;
}

export interface ControllerProcess {
  readonly daemon: Daemon;
  isReady(): Promise<boolean>;
  isLeader(): Promise<boolean>;
  /** The page. */
  metrics(): Promise<string>;
}

export async function controllerProcesses(cluster: Cluster): Promise<ControllerProcesses> {
  const text = await readFile(join(ROOT, 'deploy', 'manifests', 'install.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS() as { kind: string; metadata: object });
  const roles = objects.filter(
    ({ kind, metadata }) => KINDS.includes(kind) && JSON.stringify(metadata).includes(ACCOUNT),
  );
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }, ...roles]);
  const token = await cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'create', 'token', ACCOUNT, '--duration=1h']);
  const { server, ca } = cluster.access;
  const file = join(cluster.logs, 'controller.kubeconfig');
  await writeFile(file, kubeconfig({ server, ca, token: token.trim() }));
  let port = 19_190;

  return {
    start(name) {
      port += 1;
      const args = [
        join(ROOT, 'dist', 'inference-gateway.js'),
        'controller',
        `--kubeconfig=${file}`,
        `--system-namespace=${SYSTEM_NAMESPACE}`,
        `--name=${name}`,
        '--image=inference-gateway',
        '--envoy-gateway-certificates',
        `--metrics=127.0.0.1:${port}`,
        '--inference-pools=127.0.0.1:0',
      ];
      const daemon = startDaemon(name, process.execPath, args, join(cluster.logs, `${name}.log`));
      const url = `http://127.0.0.1:${port}`;
      const metrics = async () => (await ask('/metrics')).text();
      const ask = async (path: string) => {
        daemon.check();
        return await fetch(`${url}${path}`);
      };
      return {
        daemon,
        isReady: async () => (await ask('/readyz')).ok,
        isLeader: async () => /^inference_gateway_controller_leader 1$/m.test(await metrics()),
        metrics,
      };
    },
  };
}
