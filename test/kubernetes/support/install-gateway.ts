import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster';

export const SYSTEM_NAMESPACE = 'inference-gateway';
const CONTROLLER = 'hyperpod-inference-gateway-controller';
const MANIFESTS = join(__dirname, '..', '..', '..', 'deploy', 'manifests');

/** Installs the product as its plain manifests do, Envoy Gateway with it, and waits until both run. */
export async function installGateway(cluster: Cluster): Promise<void> {
  // The namespace comes first, and takes restricted pods alone.
  for (const file of ['namespace.yaml', 'install.yaml'])
    await cluster.apply(await readFile(join(MANIFESTS, file), 'utf8'));
  for (const name of [CONTROLLER, 'envoy-gateway']) await cluster.rolledOut(SYSTEM_NAMESPACE, name, 120_000);
}
