import type { Cluster, ClusterOptions } from '../../../kubernetes/support/cluster';
import { startClusterWithGateway } from '../../../kubernetes/support/cluster-with-gateway';

let cluster: Promise<Cluster> | undefined;

/** The cluster of all gateways of the run, with the controller and Envoy Gateway; the first user starts it, and says how. */
export function takeCluster(options: Partial<ClusterOptions> = {}): Promise<Cluster> {
  cluster ??= startClusterWithGateway(options);
  return cluster;
}

/** Also where a test has not come so far that it could close what it has started. */
export async function closeCluster(): Promise<void> {
  const ending = cluster;
  cluster = undefined;
  await (await ending?.catch(() => undefined))?.close();
}
