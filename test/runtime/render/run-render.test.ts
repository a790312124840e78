import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { runRender } from '../../../runtime/render/run-render';

const INSTALLATION = {
  systemNamespace: 'system',
  envoyNamespace: 'system',
  gatewayControllerName: 'example.com/controller',
  image: { reference: 'inference-gateway:1', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
} as const;

const config = (name: string, namespace: string, scheduler: string) => `
apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  bbr: {enabled: true}
  schedulers: [{name: ${scheduler}, modelSelector: {matchLabels: {app: ${scheduler}}}}]
`;

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: llama-0, namespace: models, labels: {app: llama}}
status: {podIP: 10.0.0.1, conditions: [{type: Ready, status: "True"}]}
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'render-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function render(...documents: readonly string[]) {
  const path = join(folder, 'objects.yaml');
  await writeFile(path, documents.join('\n---\n'));
  const result = await runRender([path], INSTALLATION);
  const objects = parseAllDocuments(result.yaml).map((document) => document.toJS() as KubernetesObject);
  return { ...result, objects };
}

test('everything of a gateway is printed, the endpoints of the pods in the files too', async () => {
  const { objects, faults, warnings } = await render(config('gateway', 'models', 'llama'), POD);
  expect(faults).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/^models\/gateway: everybody who can reach/)]);
  const kinds = new Set(objects.map(({ kind }) => kind));
  for (const kind of ['Gateway', 'EnvoyProxy', 'HTTPRoute', 'InferencePool', 'Deployment', 'EndpointSlice']) {
    expect(kinds).toContain(kind);
  }
  expect(objects.find(({ kind }) => kind === 'EndpointSlice')).toMatchObject({
    endpoints: [{ addresses: ['10.0.0.1'] }],
  });
});

test('what two gateways share is printed once', async () => {
  const { objects } = await render(config('a', 'models', 'llama'), config('b', 'other', 'qwen'));
  expect(objects.filter(({ kind }) => kind === 'Gateway')).toHaveLength(2);
  expect(objects.filter(({ kind }) => kind === 'GatewayClass')).toHaveLength(1);
});

test('faults are told by their place, and nothing is printed', async () => {
  const { yaml, faults } = await render(config('gateway', 'models', 'Llama'));
  expect(yaml).toBe('');
  expect(faults).toEqual([expect.stringMatching(/objects\.yaml:7 spec\.schedulers\[0\]\.name: must be/)]);
  expect((await render(POD)).faults).toEqual(['no InferenceGatewayConfig was found']);
});

test('a gateway whose name another has is a fault', async () => {
  const { yaml, faults } = await render(config('gateway', 'a', 'llama'), config('gateway', 'b', 'llama'));
  expect(yaml).toBe('');
  expect(faults).toEqual([expect.stringMatching(/^b\/gateway: InferenceGatewayConfig a\/gateway is older/)]);
});
