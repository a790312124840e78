import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { at, config, find, ofKind, scheduler, translate } from '../support';

const ONE = config([scheduler('llama')]);
const deployments = (installation: object = {}): readonly KubernetesObject[] =>
  ofKind(translate(ONE, {}, installation), 'Deployment');
const podOf = (deployment: KubernetesObject) => at(deployment, 'spec', 'template', 'spec') as Record<string, unknown>;
const containers = (deployment: KubernetesObject) =>
  podOf(deployment).containers as ReadonlyArray<Record<string, unknown>>;

test('every container is restricted, has requests and a limit of memory, and can write nowhere', () => {
  const all = deployments({ collectorImage: 'collector:1' });
  expect(all).toHaveLength(2);
  for (const deployment of all) {
    expect(podOf(deployment).securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containers(deployment)).toHaveLength(2);
    for (const container of containers(deployment)) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  }
});

test('a pod is ready when its objects are read, alive as long as it answers, and ends after it has drained', () => {
  for (const deployment of deployments()) {
    const [container] = containers(deployment);
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
      livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
    });
    const drain = (container!.args as string[]).find((arg) => arg.startsWith('--drain-timeout='))!;
    const seconds = Number(/=(\d+)s$/.exec(drain)?.[1]);
    expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(seconds);
  }
});

test('routers and pickers find each other', () => {
  const translation = translate(ONE);
  const router = find(translation, 'Deployment', 'gateway-bbr');
  const picker = find(translation, 'Deployment', translation.pickerDeployments.get('llama')!);
  expect(containers(router)[0]?.args).toEqual(
    expect.arrayContaining(['router', '--kubernetes=models/gateway', '--listen=0.0.0.0:9004']),
  );
  expect(containers(picker)[0]?.args).toEqual(
    expect.arrayContaining([
      'picker',
      '--kubernetes=models/gateway',
      '--scheduler=models/llama',
      '--listen=0.0.0.0:9005',
      '--ext-proc=models/llama=0.0.0.0:9002',
    ]),
  );
  const ports = at(find(translation, 'Service', 'llama-epp'), 'spec', 'ports') as ReadonlyArray<{ port: number }>;
  expect(ports.map(({ port }) => port)).toEqual([9005, 9002]);
  expect(at(find(translation, 'InferencePool', 'llama'), 'spec', 'endpointPickerRef')).toMatchObject({
    name: 'llama-epp',
    port: { number: 9002 },
    failureMode: 'FailOpen',
  });
});

test.each([
  [undefined, '0.0.0.0'],
  ['IPv4', '0.0.0.0'],
  ['IPv6', '[::]'],
  ['DualStack', '[::]'],
])('in a cluster of %s pods listen on %s', (ipFamily, host) => {
  for (const deployment of deployments(ipFamily === undefined ? {} : { ipFamily })) {
    expect(containers(deployment)[0]?.args).toContain(`--metrics=${host}:9090`);
  }
});

test('a collector is there where the installation has one and the config wants it', () => {
  const names = (subject: typeof ONE, installation: object) =>
    ofKind(translate(subject, {}, installation), 'ConfigMap').map(({ metadata }) => metadata.namespace);
  expect(names(ONE, {})).toEqual([]);
  expect(names(ONE, { collectorImage: 'collector:1' })).toEqual(['models', 'system']);
  const off = config([scheduler('llama')], { observability: { metrics: { enabled: false } } });
  expect(names(off, { collectorImage: 'collector:1' })).toEqual([]);
});

describe('permissions', () => {
  const rules = (name: string) =>
    at(find(translate(ONE), 'Role', name), 'rules') as ReadonlyArray<{ resources: string[] }>;

  test('are to read the objects of one namespace; routers read no pods, and nobody Secrets', () => {
    const resources = (name: string) => rules(name).flatMap((rule) => rule.resources);
    expect(resources('gateway-bbr')).not.toContain('pods');
    expect(resources('llama-epp')).toContain('pods');
    for (const name of ['gateway-bbr', 'llama-epp']) {
      expect(resources(name)).not.toContain('secrets');
      expect(rules(name)).toEqual(rules(name).map((rule) => ({ ...rule, verbs: ['get', 'list', 'watch'] })));
      expect(find(translate(ONE), 'Role', name).metadata.namespace).toBe('models');
    }
    expect(at(find(translate(ONE), 'RoleBinding', 'gateway-bbr'), 'subjects')).toEqual([
      { kind: 'ServiceAccount', name: 'gateway-bbr', namespace: 'system' },
    ]);
  });
});

test('network policies select the gateway’s own pods alone', () => {
  const policies = ofKind(translate(ONE, {}, { monitoringNamespace: 'monitoring' }), 'NetworkPolicy');
  expect(policies.map(({ metadata }) => metadata.name)).toEqual(['gateway-pickers', 'gateway-bbr', 'gateway-envoy']);
  for (const policy of policies) {
    const selected = at(policy, 'spec', 'podSelector', 'matchLabels') as Record<string, string>;
    const own =
      selected['inference.sagemaker.aws.amazon.com/gateway'] ?? selected['gateway.envoyproxy.io/owning-gateway-name'];
    expect(own).toBe('gateway');
    const metrics = (at(policy, 'spec', 'ingress') as ReadonlyArray<Record<string, unknown>>).filter(({ from }) =>
      JSON.stringify(from)?.includes('monitoring'),
    );
    expect(metrics).toHaveLength(1);
  }
});
