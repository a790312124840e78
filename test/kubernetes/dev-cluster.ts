/** What dev.ts runs inside its namespaces. */
import { symlink } from 'node:fs/promises';
import { startCluster } from './support/cluster';
import { installCertManager } from './support/install-cert-manager';
import { installEnvoyGateway } from './support/install-envoy-gateway';
import { standardImages } from './support/standard-images';
import { toolsFolder } from './tools/tools-folder';

const say = (line: string) => console.error(`kubernetes:dev: ${line}`);
const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

async function main(): Promise<void> {
  const start = Date.now();
  const ended = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
  const cluster = await startCluster({ images: await standardImages(), nodes: 2 });
  say(`cluster after ${seconds(start)}`);
  if (!process.argv.includes('--no-envoy-gateway')) {
    await installEnvoyGateway(cluster);
    say(`Envoy Gateway after ${seconds(start)}`);
  }
  if (process.argv.includes('--cert-manager')) {
    await installCertManager(cluster);
    say(`cert-manager after ${seconds(start)}`);
  }
  // A name that is the same each time.
  await symlink(cluster.kubeconfig, '/run/kubeconfig');
  say(`ready; in it: export KUBECONFIG=/run/kubeconfig PATH=${toolsFolder()}:$PATH`);
  say(`logs: ${cluster.logs}`);
  await ended;
  say('ending');
  await cluster.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
