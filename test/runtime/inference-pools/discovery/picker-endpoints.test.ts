import fc from 'fast-check';
import { pickerEndpoints } from '../../../../runtime/inference-pools/discovery/picker-endpoints';
import { service, slice } from '../support/objects';

const found = (...args: Parameters<typeof pickerEndpoints>) =>
  pickerEndpoints(...args).map((tier) => tier.map(({ address, port }) => `${address} ${port}`).join());

test('each replica is asked when those before it are gone', () => {
  const slices = [slice(['10.0.0.2', '10.0.0.1'])];

  expect(found(service(), 9002, slices)).toEqual(['10.0.0.1 9002', '10.0.0.2 9002']);
});

test('every Envoy has one order, whatever the order of slices and endpoints', () => {
  const addresses = fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(addresses, fc.nat({ max: 6 }), fc.boolean(), (all, cut, flip) => {
      const parts = [all.slice(0, cut), all.slice(cut)];
      const given = parts.map((part, index) => slice(part, { name: `epp-${index}` }));
      const mixed = parts.map((part, index) => slice([...part].reverse(), { name: `epp-${index}` }));

      const result = found(service(), 9002, given);

      expect(found(service(), 9002, flip ? mixed.reverse() : mixed)).toEqual(result);
      expect(result.map((one) => one.split(' ')[0]).sort()).toEqual([...all].sort());
    }),
  );
});

test('one that is in two slices, as while it moves, is there once', () => {
  const slices = [slice(['10.0.0.1']), slice(['10.0.0.1', '10.0.0.2'], { name: 'epp-2' })];

  expect(found(service(), 9002, slices)).toEqual(['10.0.0.1 9002', '10.0.0.2 9002']);
});

test('a replica of IPv6 is there as one of IPv4 is', () => {
  expect(found(service(), 9002, [slice(['fd00::1'], { addressType: 'IPv6' })])).toEqual(['fd00::1 9002']);
});

describe('of the ports of a Service', () => {
  const ports = [
    { name: 'health', port: 9003 },
    { name: 'grpc', port: 9002, targetPort: 'ext-proc' },
  ];
  const named = (port: number, name = 'grpc') => ({ name, port });

  test('the one that the pool names counts, at the number that pods have it', () => {
    const slices = [
      slice(['10.0.0.1'], { ports: [named(19_003, 'health'), named(19_002)] }),
      slice(['10.0.0.2'], { name: 'epp-2', ports: [named(29_002)] }),
      slice(['10.0.0.3'], { name: 'epp-3', ports: [named(19_003, 'health')] }),
    ];

    expect(found(service('epp', { ports }), 9002, slices)).toEqual(['10.0.0.1 19002', '10.0.0.2 29002']);
  });

  test('one that it does not have leads nowhere', () => {
    expect(found(service('epp', { ports }), 9004, [slice(['10.0.0.1'])])).toEqual([]);
  });

  test('one without a name is that of slices without', () => {
    expect(found(service(), 9002, [slice(['10.0.0.1'], { ports: [{ port: 19_002 }] })])).toEqual(['10.0.0.1 19002']);
  });

  test('of two protocols at one number the one of TCP counts', () => {
    const both = [
      { name: 'quic', port: 9002, protocol: 'UDP' },
      { name: 'grpc', port: 9002, protocol: 'TCP' },
    ];
    const slices = [slice(['10.0.0.1'], { ports: [named(1, 'quic'), named(2)] })];

    expect(found(service('epp', { ports: both }), 9002, slices)).toEqual(['10.0.0.1 2']);
  });

  test('one that is spoken to without TLS is told so', () => {
    const plain = [{ name: 'grpc', port: 9002, appProtocol: 'kubernetes.io/h2c' }];
    const slices = [slice(['10.0.0.1'], { ports: [named(9002)] })];

    const of = (given: typeof ports) => pickerEndpoints(service('epp', { ports: given }), 9002, slices)[0]?.[0];

    expect([of(plain as never)?.isPlain, of(ports)?.isPlain]).toEqual([true, undefined]);
  });
});

describe('there is none', () => {
  const slices = [slice(['10.0.0.1'])];

  test.each([
    ['without the Service', undefined],
    ['behind a name elsewhere', service('epp', { type: 'ExternalName', externalName: 'example.com' })],
    ['without ports', service('epp', { ports: undefined })],
  ])('%s', (_, of) => {
    expect(found(of, 9002, slices)).toEqual([]);
  });

  test.each([
    ['is not ready', { addresses: ['10.0.0.1'], conditions: { ready: false } }],
    ['has no address', { addresses: [], conditions: { ready: true } }],
  ])('where a replica %s', (_, endpoint) => {
    expect(found(service(), 9002, [slice([endpoint])])).toEqual([]);
  });

  test('where addresses are names, which Envoy would refuse', () => {
    expect(found(service(), 9002, [slice(['epp.example.com'], { addressType: 'FQDN' })])).toEqual([]);
  });
});

test.each([
  ['says nothing of its readiness', { addresses: ['10.0.0.1'] }],
  ['knows nothing of it', { addresses: ['10.0.0.1'], conditions: {} }],
])('a replica that %s is there', (_, endpoint) => {
  expect(found(service(), 9002, [slice([endpoint])])).toEqual(['10.0.0.1 9002']);
});
