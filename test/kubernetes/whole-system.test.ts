import { closeCluster, takeCluster } from '../e2e/support/kubernetes/shared-cluster';

/*
 * The whole-system tests against gateways that the controller makes in a cluster, through Envoy Gateway and TLS: those that
 * find out something about that way. One cluster for all of them; each has gateways and a namespace of its own. `-t errors`
 * runs one of them.
 */

const SUITES = [
  'attack',
  'bodies',
  'clients-node',
  'clients-python',
  'edits',
  'errors',
  'flow-control',
  'many-requests',
  'pod-faults',
  'rewrite',
  'uploads',
];

beforeAll(takeCluster, 300_000);
afterAll(closeCluster, 60_000);

describe.each(SUITES)('%s', (suite) => {
  require(`../e2e/${suite}.test`);
});
