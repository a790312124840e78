import { createCoexistence } from '../../../runtime/controller/coexistence';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { MemoryApi } from './support/memory-api';

const signal = new AbortController().signal;
const deployment = (labels: Record<string, string> = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'inference-gateway-controller', namespace: 'hyperpod-inference-system', labels },
});
const gatewayClass = (labels: Record<string, string> = {}) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'inference-gateway', labels },
});

async function another(found: { deployment?: object; gatewayClass?: object }, api = new MemoryApi()) {
  const watches = {
    foreignDeployment: () => found.deployment as never,
    gatewayClass: () => found.gatewayClass as never,
  };
  return (await createCoexistence(api, watches, 'system').another(signal))?.message;
}

test('alone: nothing is there, or only what is ours', async () => {
  expect(await another({})).toBeUndefined();
  expect(
    await another({
      deployment: deployment({ 'app.kubernetes.io/part-of': 'hyperpod-inference-gateway' }),
      gatewayClass: gatewayClass({ 'app.kubernetes.io/managed-by': 'inference-gateway-controller' }),
    }),
  ).toBeUndefined();
});

test("AWS's Deployment is named, and what to do", async () => {
  expect(await another({ deployment: deployment() })).toMatch(/inference-gateway-controller .* Remove one of the two/);
});

test('a GatewayClass that another has applied is one of theirs; ours without its label is not', async () => {
  const api = new MemoryApi();
  const classes = resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass');
  await api.apply(classes, gatewayClass(), { fieldManager: 'somebody' });
  expect(await another({ gatewayClass: gatewayClass() }, api)).toContain('was not made by this controller');

  await api.apply(classes, gatewayClass(), { fieldManager: 'inference-gateway-controller' });
  expect(await another({ gatewayClass: gatewayClass() }, api)).toBeUndefined();
});

test("a GatewayClass that a program of our manager's name has written is one of theirs", async () => {
  const api = new MemoryApi();
  const managedFields = [{ manager: 'inference-gateway-controller', operation: 'Update' }];
  const written = { ...gatewayClass(), metadata: { name: 'inference-gateway', managedFields } };
  api.cluster.put(resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass'), written as never);

  expect(await another({ gatewayClass: gatewayClass() }, api)).toContain('was not made by this controller');
});
