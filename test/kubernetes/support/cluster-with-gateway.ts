import { type Cluster, type ClusterOptions, startCluster } from './cluster';
import { installCertManager } from './install-cert-manager';
import { installGateway } from './install-gateway';
import { standardImages } from './standard-images';

/** A cluster of two nodes in which the product runs as its plain manifests install it, with Envoy Gateway, and cert-manager.
 * `images`: what can be run besides. */
export async function startClusterWithGateway({ images = {} }: Partial<ClusterOptions> = {}): Promise<Cluster> {
  const cluster = await startCluster({ images: { ...(await standardImages()), ...images }, nodes: 2 });
  try {
    await installCertManager(cluster);
    await installGateway(cluster);
    return cluster;
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
