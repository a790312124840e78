import fc from 'fast-check';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { gatewayLabels, SCHEDULER_LABEL } from '../../../../lib/translate/cluster/names';
import { objectKey } from '../../../../lib/translate/cluster/object-key';
import { invalidGateway } from '../../../../lib/translate/cluster/translate-gateway';
import { at, config, find, ofKind, scheduler, translate } from './support';

const ONE = config([scheduler('llama')]);

test('the same arguments give the same objects in the same order, sorted', () => {
  const { objects } = translate(ONE);
  expect(translate(ONE).objects).toEqual(objects);
  expect(objects.map(objectKey)).toEqual(objects.map(objectKey).sort());
});

test('everything but the class of all gateways is labelled as the gateway’s, and goes with it in its namespace', () => {
  for (const { kind, metadata } of translate(ONE).objects) {
    if (kind === 'GatewayClass') {
      expect(metadata.labels).toEqual({
        'app.kubernetes.io/managed-by': 'inference-gateway-controller',
        'inference.sagemaker.aws.amazon.com/system-namespace': 'system',
      });
      continue;
    }
    expect(metadata.labels).toMatchObject(gatewayLabels(ONE));
    const owned = metadata.ownerReferences?.map(({ uid }) => uid);
    expect(owned).toEqual(metadata.namespace === 'models' ? ['uid-1'] : undefined);
  }
});

test('what Envoy Gateway makes is not labelled as the controller’s work, or it would be pruned', () => {
  const labels = at(find(translate(ONE), 'Gateway', 'gateway'), 'spec', 'infrastructure', 'labels');
  expect(labels).toEqual({
    'inference.sagemaker.aws.amazon.com/gateway': 'gateway',
    'inference.sagemaker.aws.amazon.com/gateway-namespace': 'models',
  });
});

test('no names clash, however schedulers are called; those that would are left out and named', () => {
  const name = fc.stringMatching(/^(a|gateway)(-(epp|pool|health|catch-all|bbr|unavailable)){0,3}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.boolean(), (schedulers, same) => {
      const namespace = same ? 'system' : 'models';
      const { objects, problems } = translate(
        config(
          schedulers.map((one) => scheduler(one)),
          {},
          { namespace },
        ),
      );
      expect(new Set(objects.map(objectKey)).size).toBe(objects.length);
      const served = new Set(objects.map(({ metadata }) => metadata.labels?.[SCHEDULER_LABEL]));
      const refused = problems.filter(({ reason }) => reason === 'NameTaken').map((problem) => problem.scheduler);
      for (const one of schedulers) expect(served.has(one)).not.toBe(refused.includes(one));
    }),
  );
});

describe('names that something else has', () => {
  const foreign = (apiVersion: string, kind: string, name: string, namespace: string): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
  });

  test('of a scheduler leave it out, and nothing else', () => {
    const two = config([scheduler('llama'), scheduler('qwen')]);
    const translation = translate(two, { foreign: [foreign('v1', 'Service', 'qwen-epp', 'models')] });
    expect([...translation.pickerDeployments.keys()]).toEqual(['llama']);
    expect(ofKind(translation, 'InferencePool').map(({ metadata }) => metadata.name)).toEqual(['llama']);
    expect(translation.problems).toContainEqual(
      expect.objectContaining({
        condition: 'Accepted',
        scheduler: 'qwen',
        reason: 'NameTaken',
        message: expect.stringContaining('Service models/qwen-epp'),
        blocks: false,
      }),
    );
  });

  test('of the gateway hold up everything', () => {
    const { objects, problems } = translate(ONE, {
      foreign: [foreign('gateway.networking.k8s.io/v1', 'Gateway', 'gateway', 'system')],
    });
    expect(objects).toEqual([]);
    expect(problems.filter(({ blocks }) => blocks)).toMatchObject([{ condition: 'Accepted', reason: 'NameTaken' }]);
  });

  test('of another kind or namespace are no matter', () => {
    const others = [foreign('v1', 'ConfigMap', 'llama-epp', 'models'), foreign('v1', 'Service', 'llama-epp', 'other')];
    expect(translate(ONE, { foreign: others }).objects).toEqual(translate(ONE).objects);
  });
});

describe('two gateways of one name', () => {
  const made = (namespace: string, creationTimestamp?: string) =>
    config([scheduler('llama')], {}, { namespace, uid: namespace, ...(creationTimestamp && { creationTimestamp }) });
  const configs = (...all: ReadonlyArray<ReturnType<typeof made>>) => ({
    configs: all as unknown as KubernetesObject[],
  });

  test.each([
    ['the older has the name', made('b', '2026-01-01T00:00:00Z'), made('a', '2026-01-02T00:00:00Z')],
    ['of one age the first by namespace has it', made('a', '2026-01-01T00:00:00Z'), made('b', '2026-01-01T00:00:00Z')],
    ['one that is there has it before one that is not', made('b', '2026-01-01T00:00:00Z'), made('a')],
  ])('%s', (_, first, second) => {
    const world = configs(first, second);
    expect(translate(first, world).objects).not.toEqual([]);
    const { objects, problems } = translate(second, world);
    expect(objects).toEqual([]);
    expect(problems).toMatchObject([{ condition: 'Accepted', reason: 'NameTaken', blocks: true }]);
  });

  test('in one namespace there is one', () => {
    expect(translate(ONE, configs(ONE)).objects).not.toEqual([]);
  });
});

test('an invalid config changes nothing, and the condition has each fault', () => {
  const { objects, problems } = invalidGateway(['spec.bbr: is required', 'spec.x: unknown field']);
  expect(objects).toEqual([]);
  expect(problems).toEqual([
    {
      condition: 'Accepted',
      reason: 'Invalid',
      message: 'spec.bbr: is required; spec.x: unknown field',
      blocks: true,
    },
  ]);
});

describe('what is said of objects beside the config', () => {
  const adapters = (name: string, baseModel: string, created: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'models',
      creationTimestamp: created,
      labels: { 'inference.networking.k8s.io/bbr-managed': 'true' },
    },
    data: { baseModel, adapters: '- sql' },
  });

  test('an adapter that two ConfigMaps claim is a condition of both schedulers', () => {
    const two = config([scheduler('llama'), scheduler('qwen')]);
    const objects = [
      adapters('first', 'llama', '2026-01-01T00:00:00Z'),
      adapters('second', 'qwen', '2026-01-02T00:00:00Z'),
    ];
    const conflicts = translate(two, { objects }).problems.filter(({ reason }) => reason === 'ModelNameConflict');
    expect(conflicts.map((conflict) => [conflict.scheduler, conflict.condition])).toEqual([
      ['llama', 'Accepted'],
      ['qwen', 'Accepted'],
    ]);
    expect(conflicts[0]?.message).toContain('models/second');
  });

  test('a faulty object is left out with a warning', () => {
    const objective = {
      apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
      kind: 'InferenceObjective',
      metadata: { name: 'urgent', namespace: 'models' },
      spec: { priority: 'high', poolRef: { name: 'llama' } },
    };
    const { objects, problems } = translate(ONE, { objects: [objective] });
    expect(objects).toEqual(translate(ONE).objects);
    expect(problems).toContainEqual(
      expect.objectContaining({ reason: 'ObjectLeftOut', message: expect.stringContaining('models/urgent') }),
    );
  });

  test('that nobody has read pods is no warning', () => {
    expect(translate(ONE).problems.map(({ reason }) => reason)).toEqual(['NotAuthenticated']);
  });
});

test('Envoy waits for the router longer than a request may wait in it', () => {
  const timeout = (subject: typeof ONE, world = {}) =>
    at(find(translate(subject, world), 'EnvoyExtensionPolicy', 'gateway'), 'spec', 'extProc', 0, 'messageTimeout');
  expect(timeout(ONE)).toBe('12s');
  expect(timeout(config([scheduler('llama')], { overload: { emptyPoolHold: '0s' } }))).toBe('2s');
  const critical = { bands: { critical: { ttl: '45s500ms' } } };
  expect(timeout(config([scheduler('a'), scheduler('b', { flowControl: critical })]))).toBe('47500ms');
});
