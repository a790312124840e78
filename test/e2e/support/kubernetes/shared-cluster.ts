import { type Cluster, startCluster } from '../../../kubernetes/support/cluster';
import { installCertManager } from '../../../kubernetes/support/install-cert-manager';
import { installGateway } from '../../../kubernetes/support/install-gateway';
import { standardImages } from '../../../kubernetes/support/standard-images';

let cluster: Promise<Cluster> | undefined;

/** The cluster of this test file, with the gateway's controller and Envoy Gateway; the first user starts it. */
export function takeCluster(): Promise<Cluster> {
  cluster ??= start();
  return cluster;
}

/** Also where a test has not come so far that it could close what it has started. */
export async function closeCluster(): Promise<void> {
  const ending = cluster;
  cluster = undefined;
  await (await ending?.catch(() => undefined))?.close();
}

async function start(): Promise<Cluster> {
  const started = await startCluster({
    images: { ...(await standardImages()), 'test/nothing': { inert: true } },
    nodes: 2,
  });
  try {
    await installCertManager(started);
    await installGateway(started);
    return started;
  } catch (error) {
    await started.close();
    throw error;
  }
}
