import { Bench, DEPLOYMENTS } from './support/bench';
import { wantedNames } from './support/cert-manager';
import { judge } from './support/envoy-gateway';
import { gatewayConfig, modelPod } from './support/objects';

const PROVIDER = {
  ...{ name: 'p', issuer: 'https://login.example.com' },
  remoteJWKS: { uri: 'https://login.example.com/keys' },
};

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

/** As the Deployment controller does. */
function runDeployments(): void {
  for (const deployment of bench.api.cluster.list(DEPLOYMENTS)) {
    const { replicas } = deployment.spec as { replicas: number };
    const { generation: observedGeneration } = deployment.metadata;
    const status = { observedGeneration, replicas, updatedReplicas: replicas, availableReplicas: replicas };
    bench.edit(deployment, (it) => Object.assign(it, { status }));
  }
}

/** What the controller hears of policies comes late: it has written its status by then. */
function delayPolicies(): void {
  const watch = bench.api.watch.bind(bench.api);
  bench.api.watch = async function* (resource, ...rest) {
    for await (const event of watch(resource, ...rest)) {
      if (resource.kind === 'SecurityPolicy') await bench.clock.sleep(2_000);
      yield event;
    }
  };
}

const ready = () => bench.condition('Ready');

test('a gateway is not ready for an edit that Envoy Gateway has not judged, not for a moment', async () => {
  delayPolicies();
  bench.clientCertificate = { issued: { dnsNames: wantedNames(bench.translation(gatewayConfig())) } };
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(10_000);
  expect(ready()).toMatchObject({ status: 'False', reason: 'Pending' });
  judge(bench);
  runDeployments();
  await bench.settle(30_000);
  expect(ready()).toMatchObject({ status: 'True', reason: 'Ready' });

  // At first the policy is made, and then changed.
  for (const audiences of [['llm'], ['llm', 'others']]) {
    const jwt = { provider: { ...PROVIDER, audiences } };
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { auth: { jwt } }));
    const wrong: unknown[] = [];
    await bench.clock.advance(60_000, () => {
      const { status, metadata } = bench.config();
      const isOfEdit = (status as { observedGeneration?: number }).observedGeneration === metadata.generation;
      if (isOfEdit && ready()?.status === 'True') wrong.push(bench.clock.now());
    });
    expect(wrong).toEqual([]);
    expect(ready()).toMatchObject({
      reason: 'Pending',
      message: expect.stringContaining('SecurityPolicy inference-system/gw waits for Envoy Gateway'),
    });

    judge(bench);
    await bench.settle(30_000);
    expect(ready()).toMatchObject({ status: 'True' });
  }
});
