import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { InstallValues } from '../../lib/charts/generated/install-values';
import { readShippedCrds } from '../../runtime/controller/crds/read-shipped-crds';
import { deepMerge } from '../lib/charts/deep-merge';
import { chartObjects } from '../lib/charts/objects';
import { ENVOYS, renderedExamples } from '../lib/charts/rendered-examples';
import { VALUE_CHANGES, valuesWith } from '../lib/charts/value-changes';
import { type ControlPlane, startControlPlane } from './support/control-plane/control-plane';
import { type Kubectl, kubectlOf } from './support/kubectl';
import { setUpNetwork, tearDownNetwork } from './support/network';
import { makeRunFolder } from './support/run-folder';
import { toolPath } from './tools/tools-folder';

const PART_OF_SELECTOR = 'app.kubernetes.io/part-of=hyperpod-inference-gateway';
const CONTROLLER_SELECTOR = '-l=app.kubernetes.io/component=controller';
const ROOT = join(__dirname, '../..');
const NAMESPACES = ['inference-gateway', 'envoy-gateway-system', 'models', 'argocd', 'flux-system'];

let controlPlane: ControlPlane;
let kubectl: Kubectl;

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
  kubectl = kubectlOf(controlPlane.kubeconfig);
  const crds = (await readShippedCrds()).map(({ definition }) => definition);
  await apply(yamlOf(crds));
  await kubectl(['apply', '--server-side', '-f', join(__dirname, 'fixtures/foreign-crds')]);
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await apply(yamlOf(NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))));
});
afterAll(async () => {
  await controlPlane.close();
  await tearDownNetwork();
});

const yamlOf = (objects: readonly unknown[]) =>
  objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
const apply = (yaml: string) => kubectl(['apply', '--server-side', '-f', '-'], yaml);
/** Unknown fields and wrong values are refused. */
const check = (yaml: string) => kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], yaml);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('-values.yaml'))
    .map((file) => join(folder, file));

test('a wrong field is seen', async () => {
  await expect(check(read('deploy/manifests/install.yaml').replace('replicas: 2', 'replica: 2'))).rejects.toThrow(
    'field not declared in schema',
  );
});

test('the API server takes the manifests', async () => {
  const lines = (await check(read('deploy/manifests/install.yaml'))).trim().split('\n');

  expect(lines).toHaveLength(chartObjects().length);
  await check(read('deploy/manifests/namespace.yaml'));
});

test('the API server takes an installation in which every value is set', async () => {
  // The namespace of another Envoy Gateway is only for installations without one.
  const takesAway = (path: string) => path.endsWith('.enabled') || path === 'envoyGateway.namespace';
  const values = VALUE_CHANGES.filter(({ path }) => !takesAway(path))
    .map(valuesWith)
    .reduce(deepMerge<InstallValues>, {});

  await check(yamlOf(chartObjects(values)));
});

test.each([
  ...filesOf('examples/kubernetes'),
  ...['argocd', 'flux', 'autoscaling'].flatMap((part) => filesOf(`deploy/${part}`)),
])('the API server takes %s', async (file) => {
  await check(read(file));
});

test.each(readdirSync(join(ROOT, 'examples/helm')))('the API server takes an installation with %s', async (file) => {
  await check(yamlOf(chartObjects(parse(read(`examples/helm/${file}`)) as InstallValues)));
});

test('the example of an overlay is taken, and routers run the image that the controller does', async () => {
  const yaml = await kubectl(['kustomize', join(ROOT, 'deploy/kustomize/example')]);
  const deployment = parseAllDocuments(yaml)
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.startsWith('hyperpod'));
  const [container] = deployment.spec.template.spec.containers;

  await check(yaml);
  expect(container.image).toBe('111122223333.dkr.ecr.us-west-2.amazonaws.com/inference-gateway:0.1.0');
  expect(container.args).toContain(`--image=${container.image}`);
  expect(container.resources.limits.memory).toBe('2Gi');
});

test('pods of an installation are let into a namespace that takes only restricted ones', async () => {
  await kubectl(['label', 'namespace', 'inference-gateway', 'pod-security.kubernetes.io/enforce=restricted']);
  const pods = chartObjects()
    .filter(({ kind }) => kind === 'Deployment')
    // Accounts are not what is looked at.
    .map(({ metadata, spec }) => [metadata, { ...spec.template.spec, serviceAccountName: undefined }])
    .map(([metadata, spec]) => ({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));

  expect(pods).toHaveLength(2);
  await check(yamlOf(pods));
});

test('Helm installs, upgrades, rolls back and uninstalls it, and leaves nothing', async () => {
  const helm = async (...args: string[]) => {
    const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfig, HOME: '/run' };
    await promisify(execFile)(toolPath('helm'), [...args, '--namespace=helm'], { env });
  };
  const replicas = () =>
    kubectl(['get', 'deployment', '--namespace=helm', '-o=jsonpath={.items[*].spec.replicas}', CONTROLLER_SELECTOR]);
  const chart = join(ROOT, 'charts/inference-gateway');

  await helm('install', 'gateway', chart, '--create-namespace');
  expect(await replicas()).toBe('2');
  await helm('upgrade', 'gateway', chart, '--set=controller.replicas=3');
  expect(await replicas()).toBe('3');
  await helm('rollback', 'gateway', '1');
  expect(await replicas()).toBe('2');
  await helm('uninstall', 'gateway');

  const kinds = [...new Set(chartObjects().map(({ kind }) => kind.toLowerCase()))].join(',');
  expect(await kubectl(['get', kinds, '--all-namespaces', '-l', PART_OF_SELECTOR, '-o=name'])).toBe('');
});

describe('with the roles of an installation beside another Envoy Gateway', () => {
  const ACCOUNT = '--as=system:serviceaccount:inference-gateway:hyperpod-inference-gateway-controller';
  /** Served by nobody here. */
  const FOREIGN_GROUPS = ['cert-manager.io', 'elbv2.k8s.aws'];

  const as = (yaml: string, args: readonly string[] = []) =>
    kubectl(['apply', ACCOUNT, '--server-side', '--dry-run=server', ...args, '-f', '-'], yaml);
  const role = (name: string, rule: object) =>
    yamlOf([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name, namespace: 'models' },
        rules: [rule],
      },
    ]);

  beforeAll(async () => {
    const objects = chartObjects({ envoyGateway: { enabled: false, namespace: ENVOYS } });
    await apply(yamlOf(objects.filter(({ kind }) => /Role|ServiceAccount/.test(kind))));
  });

  test('the controller may apply everything that it makes, and the API server takes it', async () => {
    const made = await renderedExamples();
    const known = made.filter(({ apiVersion }) => !FOREIGN_GROUPS.includes(apiVersion.split('/')[0] ?? ''));
    // A binding is only taken where its Role is there to look at.
    await kubectl(['apply', ACCOUNT, '--server-side', '-f', '-'], yamlOf(known.filter(({ kind }) => kind === 'Role')));
    const lines = (await as(yamlOf(known), ['--force-conflicts'])).trim().split('\n');

    expect(lines).toHaveLength(known.length);
    expect(known.length).toBeGreaterThan(100);
  });

  test('it may write certificates of pickers, and see no other Secret outside its namespace', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a-epp-cert', namespace: 'models' } };

    await as(yamlOf([secret]));
    await expect(kubectl(['get', 'secrets', ACCOUNT, '--namespace=models'])).rejects.toThrow('cannot list resource');
    await kubectl(['get', 'secrets', ACCOUNT, '--namespace=inference-gateway']);
  });

  test('it cannot grant what it does not hold', async () => {
    await as(role('reads-pods', { apiGroups: [''], resources: ['pods'], verbs: ['list'] }));
    await expect(
      as(role('reads-secrets', { apiGroups: [''], resources: ['secrets'], verbs: ['list'] })),
    ).rejects.toThrow('attempting to grant RBAC permissions not currently held');
  });

  test('it may change the CRDs of its image, and no others', async () => {
    const patch = (name: string) => kubectl(['annotate', ACCOUNT, '--dry-run=server', 'crd', name, 'looked=at']);

    await patch('gateways.gateway.networking.k8s.io');
    await expect(patch('applications.argoproj.io')).rejects.toThrow('forbidden');
  });
});
