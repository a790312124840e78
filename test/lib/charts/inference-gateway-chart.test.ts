import { byKey, type ChartObject, chartObjects } from './objects';

const objects = chartObjects();
const SYSTEM = 'inference-gateway';
const CONTROLLER = `${SYSTEM}/hyperpod-inference-gateway-controller`;

const deployments = (all: readonly ChartObject[]) => all.filter(({ kind }) => kind === 'Deployment');
const argumentsOf = (all: readonly ChartObject[]): string[] =>
  byKey(all)[`Deployment ${CONTROLLER}`]?.spec.template.spec.containers[0].args;

test.each(deployments(objects))('pods of $metadata.name are such as Pod Security "restricted" lets in', ({ spec }) => {
  const pod = spec.template.spec;

  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
    expect(container.resources.limits.memory).toBeDefined();
  }
});

test.each(deployments(objects))(
  'two pods of $metadata.name are spread, and one at a time is taken away',
  (deployment) => {
    const { name } = deployment.metadata;
    const { matchLabels } = deployment.spec.selector;
    const budget = byKey(objects)[`PodDisruptionBudget ${SYSTEM}/${name}`];

    expect(deployment.spec.replicas).toBe(2);
    expect(deployment.spec.template.metadata.labels).toMatchObject(matchLabels);
    expect(budget?.spec).toEqual({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels },
    });
    expect(deployment.spec.template.spec.topologySpreadConstraints).toHaveLength(2);
  },
);

test('everything of a namespace is in that of the installation, and nothing else has one', () => {
  const kinds = ['ClusterRole', 'ClusterRoleBinding', 'Namespace'];

  for (const { kind, metadata } of chartObjects({ namespace: { create: true } }, 'gateways')) {
    expect(metadata.namespace).toBe(kinds.includes(kind) ? undefined : 'gateways');
  }
});

test('accounts of other namespaces are bound to nothing', () => {
  const subjects = chartObjects({}, 'gateways').flatMap((object) => object.subjects ?? []);

  expect(subjects.length).toBeGreaterThan(0);
  for (const subject of subjects) expect(subject).toMatchObject({ kind: 'ServiceAccount', namespace: 'gateways' });
});

test('nothing of the installation is taken for something that the controller made', () => {
  for (const { metadata } of objects) expect(metadata.labels).not.toHaveProperty('app.kubernetes.io/managed-by');
});

test('the controller is told what was installed', () => {
  expect(argumentsOf(objects)).toEqual([
    'controller',
    '--system-namespace=$(POD_NAMESPACE)',
    '--name=$(POD_NAME)',
    '--image=inference-gateway:0.1.0',
    '--image-pull-policy=IfNotPresent',
    '--envoy-image=docker.io/envoyproxy/envoy:distroless-v1.39.1',
    '--gateway-controller-name=gateway.envoyproxy.io/gatewayclass-controller',
    '--envoy-gateway-certificates',
    '--ip-family=IPv4',
    '--cluster-domain=cluster.local',
    '--log-level=info',
    '--manage-crds=true',
  ]);
});

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  [{}, 'inference-gateway:0.1.0'],
  [{ image: { registry: 'registry.example/team' } }, 'registry.example/team/inference-gateway:0.1.0'],
  [
    { imageRegistry: 'mirror.example', image: { registry: 'registry.example' } },
    'mirror.example/inference-gateway:0.1.0',
  ],
  [{ image: { digest: DIGEST } }, `inference-gateway@${DIGEST}`],
  [{ image: { tag: '' } }, 'inference-gateway'],
])('values %j: image %s', (values, image) => {
  expect(argumentsOf(chartObjects(values))).toContain(`--image=${image}`);
});

test('an Envoy image without a repository is left to Envoy Gateway', () => {
  const args = argumentsOf(chartObjects({ envoy: { image: { repository: '' } } }));

  expect(args.filter((arg) => arg.startsWith('--envoy-image'))).toEqual([]);
});

test('Envoy Gateway starts once the CRDs are there, and its certificates', () => {
  const { spec } = byKey(objects)[`Deployment ${SYSTEM}/envoy-gateway`]!.spec.template;

  expect(spec.initContainers).toMatchObject([{ image: 'inference-gateway:0.1.0', args: ['wait-for-crds'] }]);
  expect(spec.volumes).toContainEqual({ name: 'certs', secret: { secretName: 'envoy-gateway' } });
});

test("Envoy Gateway's own labels are neither its renderer's nor left out of its selectors", () => {
  const { metadata } = byKey(objects)[`Deployment ${SYSTEM}/envoy-gateway`]!;

  expect(metadata.labels).toMatchObject({
    'app.kubernetes.io/name': 'envoy-gateway',
    'control-plane': 'envoy-gateway',
  });
  expect(metadata.labels).not.toHaveProperty('helm.sh/chart');
});

test('labels that pods are found by cannot be set otherwise', () => {
  const values = { controller: { podLabels: { 'app.kubernetes.io/name': 'other', team: 'a' } } };
  const { labels } = byKey(chartObjects(values))[`Deployment ${CONTROLLER}`]!.spec.template.metadata;

  expect(labels).toMatchObject({ 'app.kubernetes.io/name': 'inference-gateway', team: 'a' });
});

test('who reads metrics may be left out of annotations', () => {
  const values = { controller: { podAnnotations: { 'prometheus.io/scrape': 'false' } } };
  const { annotations } = byKey(chartObjects(values))[`Deployment ${CONTROLLER}`]!.spec.template.metadata;

  expect(annotations).toEqual({ 'prometheus.io/scrape': 'false', 'prometheus.io/port': '9090' });
});

test('a value of the wrong kind is refused', () => {
  expect(() => chartObjects({ controller: { replicas: -1 } })).toThrow('values.controller.replicas');
});
