import fc from 'fast-check';
import type { Pod } from '../../../../../lib/api/pod';
import type { CheckedObject } from '../../../../../lib/translate/check-objects';
import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { endpointSlices } from '../../../../../lib/translate/cluster/schedulers/endpoint-slices';
import type { Installation } from '../../../../../lib/translate/cluster/types';
import { at, config, type Fields, scheduler } from '../support';

const CONFIG = config([scheduler('llama', { targetPort: 9000, appProtocol: 'kubernetes.io/h2c' })]);
const SCHEDULER = CONFIG.spec.schedulers[0]!;

function pod(name: string, podIP: string | undefined, fields: Fields = {}, status: Fields = {}): CheckedObject<Pod> {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'models', uid: `uid-${name}`, labels: { app: 'llama' }, ...fields },
    spec: { nodeName: 'node-1' },
    status: { ...(podIP !== undefined && { podIP }), conditions: [{ type: 'Ready', status: 'True' }], ...status },
  };
  return { object: object as unknown as Pod, at: { source: 'test', value: object } };
}

const slices = (
  pods: ReadonlyArray<CheckedObject<Pod>>,
  existing: readonly KubernetesObject[] = [],
  ipFamily?: Installation['ipFamily'],
) => endpointSlices(CONFIG, SCHEDULER, pods, existing, ipFamily);

const endpointsOf = (slice: KubernetesObject) => slice.endpoints as ReadonlyArray<Record<string, unknown>>;
const addresses = (all: readonly KubernetesObject[]) =>
  all.flatMap((slice) => endpointsOf(slice).flatMap((endpoint) => endpoint.addresses as string[]));

test('a pod becomes an endpoint of the Service of its scheduler', () => {
  const [slice] = slices([pod('llama-0', '10.0.0.1')]);
  expect(slice).toMatchObject({
    metadata: {
      name: 'llama-pool-ipv4-0',
      namespace: 'models',
      labels: {
        'kubernetes.io/service-name': 'llama-pool',
        'endpointslice.kubernetes.io/managed-by': 'inference-gateway-controller',
        'inference.sagemaker.aws.amazon.com/scheduler': 'llama',
      },
      ownerReferences: [{ uid: 'uid-1' }],
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 9000, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' }],
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: 'node-1',
        targetRef: { kind: 'Pod', namespace: 'models', name: 'llama-0', uid: 'uid-llama-0' },
      },
    ],
  });
});

test.each([
  ['is ready', {}, {}, { ready: true, serving: true, terminating: false }],
  [
    'is not ready',
    {},
    { conditions: [{ type: 'Ready', status: 'False' }] },
    { ready: false, serving: false, terminating: false },
  ],
  ['says nothing', {}, { conditions: [] }, { ready: false, serving: false, terminating: false }],
  [
    'goes and still serves',
    { deletionTimestamp: '2026-01-01T00:00:00Z' },
    {},
    { ready: false, serving: true, terminating: true },
  ],
])('the conditions of a pod that %s', (_, fields, status, conditions) => {
  expect(at(slices([pod('a', '10.0.0.1', fields, status)]), 0, 'endpoints', 0, 'conditions')).toEqual(conditions);
});

test('pods of other labels, without an address, and such as have ended are no endpoints', () => {
  const pods = [
    pod('other', '10.0.0.1', { labels: { app: 'qwen' } }),
    pod('new', undefined),
    pod('ended', '10.0.0.3', {}, { phase: 'Failed' }),
    pod('here', '10.0.0.3', {}, { phase: 'Running' }),
  ];
  expect(addresses(slices(pods))).toEqual(['10.0.0.3']);
  expect(at(slices(pods), 0, 'endpoints', 0, 'targetRef', 'name')).toBe('here');
});

test('an address of a pod on its way out and of its successor is the successor’s', () => {
  const leaving = pod('a-old', '10.0.0.5', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  const all = slices([leaving, pod('b-new', '10.0.0.5')]);
  expect(at(all, 0, 'endpoints')).toMatchObject([{ addresses: ['10.0.0.5'], conditions: { ready: true } }]);
});

test('where there is no pod, something stands for it that is never ready', () => {
  for (const existing of [[], slices([pod('a', '10.0.0.1')])]) {
    const all = slices([], existing);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({
      metadata: { name: 'llama-pool-ipv4-0' },
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: false, serving: false } }],
    });
  }
  expect(addresses(slices([pod('a', '10.0.0.1')], slices([])))).toEqual(['10.0.0.1']);
});

test.each([
  ['IPv4', 'IPv4', '192.0.2.1'],
  ['DualStack', 'IPv4', '192.0.2.1'],
  ['IPv6', 'IPv6', '2001:db8::1'],
] as const)('in a cluster of %s it has an address of %s', (ipFamily, addressType, address) => {
  const [slice] = slices([], [], ipFamily);
  expect(slice).toMatchObject({
    metadata: { name: `llama-pool-${addressType.toLowerCase()}-0` },
    addressType,
    endpoints: [{ addresses: [address] }],
  });
});

test('IPv4 and IPv6 are apart', () => {
  const all = slices([pod('a', '10.0.0.1'), pod('b', 'fd00::1')]);
  expect(all.map((slice) => [slice.metadata.name, slice.addressType, addresses([slice])])).toEqual([
    ['llama-pool-ipv4-0', 'IPv4', ['10.0.0.1']],
    ['llama-pool-ipv6-0', 'IPv6', ['fd00::1']],
  ]);
});

/** Addresses of pods by number. */
const many = (numbers: readonly number[]) =>
  numbers.map((number) => pod(`p${number}`, `10.${Math.floor(number / 200)}.0.${(number % 200) + 1}`));

test('however pods come and go: each is in one slice, none has more than 100, and few change', () => {
  const steps = fc.array(fc.uniqueArray(fc.nat({ max: 400 }), { minLength: 1, maxLength: 350 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(steps, (fleet) => {
      let existing: readonly KubernetesObject[] = [];
      for (const numbers of fleet) {
        const pods = many(numbers);
        existing = slices(pods, existing);
        const ips = pods.map(({ object }) => object.status!.podIP!);
        expect([...addresses(existing)].sort()).toEqual([...ips].sort());
        for (const slice of existing) expect(endpointsOf(slice).length).toBeLessThanOrEqual(100);
        expect(new Set(existing.map(({ metadata }) => metadata.name)).size).toBe(existing.length);

        // One pod less, and one pod more, is one slice each.
        for (const changed of [pods.slice(1), [...pods, pod('one-more', '10.9.9.9')]]) {
          const after = slices(changed, existing);
          const before = new Map(existing.map((slice) => [slice.metadata.name, JSON.stringify(slice)]));
          const touched = after.filter((slice) => before.get(slice.metadata.name) !== JSON.stringify(slice));
          expect(touched.length).toBeLessThanOrEqual(1);
        }
      }
    }),
    { numRuns: 30 },
  );
});
