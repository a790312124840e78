import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, DEPLOYMENTS, ROUTES } from './support/bench';
import { clusterWrites } from './support/cluster-writes';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

describe("AWS's controller", () => {
  const foreign = { name: 'inference-gateway-controller', namespace: 'hyperpod-inference-system' };

  test('in the cluster: nothing is changed, and Events say why', async () => {
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: foreign, spec: {} });
    bench.put(gatewayConfig());
    const controller = bench.start();

    await bench.settle(60_000);

    expect(clusterWrites(bench).filter((write) => !write.includes(' Event '))).toEqual([]);
    expect(bench.eventReasons()).toContain('AnotherController');
    expect(bench.setups).toBe(0);
    expect(controller.isReady()).toBe(true);
  });

  test('in a cluster without kinds that only ours needs: it is ready all the same', async () => {
    bench.api.cluster.serve(resourceOf('inference.networking.x-k8s.io/v1alpha2', 'InferenceModelRewrite'), false);
    const idle = bench.start();
    await bench.settle();
    expect(idle.isReady()).toBe(false);

    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: foreign, spec: {} });
    await bench.settle();

    expect(idle.isReady()).toBe(true);
  });

  test('that comes later stops ours, and ours goes on when it is gone', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: foreign, spec: {} });
    await bench.settle();
    const before = clusterWrites(bench).filter((write) => !write.includes(' Event ')).length;
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('mistral')] }));
    bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
    await bench.settle(60_000);
    expect(clusterWrites(bench).filter((write) => !write.includes(' Event ')).length).toBe(before);

    bench.api.cluster.delete(DEPLOYMENTS, foreign.name, foreign.namespace);
    await bench.settle();
    expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
  });

  test('our own of the same name is none', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'hyperpod-inference-gateway' };
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...foreign, labels }, spec: {} });
    bench.put(gatewayConfig());
    bench.start();

    await bench.settle();

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  });

  test('its GatewayClass is as good a sign', async () => {
    const spec = { controllerName: 'example.com/other' };
    bench.put({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'inference-gateway' },
      spec,
    });
    bench.put(gatewayConfig());
    bench.start();

    await bench.settle(60_000);

    expect(clusterWrites(bench).filter((write) => !write.includes(' Event '))).toEqual([]);
  });
});
