import { closeCluster, takeCluster } from '../e2e/support/kubernetes/shared-cluster';
import { poolImages } from './support/pools/pool-objects';

/*
 * InferencePools as backends of HTTPRoutes, in one cluster: each part has namespaces and a Gateway of its own. `-t pickers`
 * runs one of them.
 */

const PARTS = ['status', 'routes', 'own', 'pickers'];

beforeAll(async () => {
  await takeCluster({ images: await poolImages() });
}, 300_000);
afterAll(closeCluster, 60_000);

describe.each(PARTS)('%s', (part) => {
  require(`./pools/${part}`);
});
