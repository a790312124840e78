import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { controllerCommand } from '../../bin/commands/controller';
import { renderCommand } from '../../bin/commands/render';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

const CONFIG = `
apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata: {name: gateway, namespace: models}
spec:
  bbr: {enabled: true}
  observability: {metrics: {enabled: true}}
  schedulers: [{name: llama, modelSelector: {matchLabels: {app: llama}}}]
`;

const folder = mkdtempSync(join(tmpdir(), 'flags-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function rendered(...flags: readonly string[]): Promise<readonly KubernetesObject[]> {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, CONFIG);
  const written: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ];
  await renderCommand().parseAsync(['-f', file, ...flags], { from: 'user' });
  for (const spy of spies) spy.mockRestore();
  return parseAllDocuments(written.join('')).map((document) => document.toJS() as KubernetesObject);
}

const router = (objects: readonly KubernetesObject[]) =>
  JSON.stringify(objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gateway-bbr'));
const proxy = (objects: readonly KubernetesObject[]) =>
  JSON.stringify(objects.find(({ kind }) => kind === 'EnvoyProxy'));

test('render and the controller ask for an installation in the same words', () => {
  const [render, controller] = [renderCommand(), controllerCommand()].map(({ options }) =>
    options
      .filter(({ long }) => long !== '--system-namespace')
      .map(({ long, description }) => `${long} ${description}`),
  );
  const own = render!.filter((option) => !controller!.includes(option));
  expect(own.map((option) => option.split(' ')[0])).toEqual(['--file']);
});

test('what render prints is of the installation that its flags tell', async () => {
  const objects = await rendered(
    ...['--ip-family=IPv6', '--envoy-image=example.com/envoy:1', '--collector-image=example.com/collector:1'],
    ...['--image-pull-secrets=a,b', '--image-pull-policy=Always', '--gateway-controller-name=example.com/controller'],
    ...['--monitoring-namespace=watchers', '--envoy-namespace=envoys'],
  );
  expect(router(objects)).toContain('[::]:9004');
  expect(router(objects)).toContain('example.com/collector:1');
  expect(router(objects)).toContain('"imagePullSecrets":[{"name":"a"},{"name":"b"}]');
  expect(router(objects)).toContain('"imagePullPolicy":"Always"');
  expect(proxy(objects)).toContain('example.com/envoy:1');
  expect(proxy(objects)).toContain('"ipFamily":"IPv6"');
  expect(objects.find(({ kind }) => kind === 'GatewayClass')).toMatchObject({
    spec: { controllerName: 'example.com/controller' },
  });
  expect(JSON.stringify(objects.filter(({ kind }) => kind === 'NetworkPolicy'))).toContain('watchers');
});
