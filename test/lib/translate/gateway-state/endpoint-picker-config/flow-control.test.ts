import { parseEndpointPickerConfig } from '../../../../../lib/translate/gateway-state/endpoint-picker-config';

const GATE = { featureGates: ['flowControl'] };

function read(flowControl: object | undefined, fields: object = GATE) {
  const text = JSON.stringify({
    apiVersion: 'llm-d.ai/v1alpha1',
    kind: 'EndpointPickerConfig',
    plugins: [{ type: 'round-robin-fairness-policy' }],
    flowControl,
    ...fields,
  });
  const result = parseEndpointPickerConfig(text, 'llm-d');
  if ('faults' in result)
    throw new Error(result.faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join());
  return { ...result, warnings: result.warnings.filter((warning) => !warning.startsWith('plugin ')) };
}

const TTL = { defaultRequestTTL: '30s' };
const band = (fields: object = {}) => ({ ttlMs: 30_000, maxRequests: 1_000, maxBytes: 268_435_456, ...fields });

describe('flow control of an EndpointPickerConfig', () => {
  it('needs its feature gate', () => {
    expect(read(TTL, {})).toMatchObject({
      warnings: ['flowControl has no effect without the feature gate flowControl'],
    });
    expect(read(TTL, {})).not.toHaveProperty('flowControl');
    expect(read(undefined, {})).toMatchObject({ warnings: [] });
  });

  it('has the limits of this gateway where the file has none, and says how long a request waits', () => {
    for (const [nothing, said] of [
      [undefined, []],
      [{ maxBytes: 0, maxRequests: '0' }, ['flowControl.maxBytes', 'flowControl.maxRequests']],
    ] as const) {
      const { flowControl, warnings } = read(nothing);
      expect(flowControl).toEqual({
        bands: {
          critical: band({ ttlMs: 10_000 }),
          standard: band({ ttlMs: 10_000 }),
          sheddable: band({ ttlMs: 10_000 }),
        },
        maxBytes: 536_870_912,
        maxTenants: 100,
        trustClientHeaders: false,
      });
      expect(warnings).toEqual([
        ...said.map((field) => `${field} is 0, which means no limit: here all is bounded, by the default`),
        'flowControl.defaultRequestTTL is not set: a request waits 10s',
      ]);
    }
  });

  it('reads quantities, and puts each priority in the band of its sign', () => {
    const { flowControl, warnings } = read({
      ...TTL,
      maxBytes: '1Gi',
      priorityBands: [
        { priority: 100, maxBytes: '512Mi', maxRequests: '5k' },
        { priority: 0, maxRequests: 20 },
        { priority: -1, maxBytes: 1000 },
      ],
    });
    expect(flowControl?.bands).toEqual({
      critical: band({ maxRequests: 5_000, maxBytes: 536_870_912 }),
      standard: band({ maxRequests: 20 }),
      sheddable: band({ maxBytes: 1_000 }),
    });
    expect(flowControl?.maxBytes).toBe(1_073_741_824);
    expect(warnings).toEqual([]);
  });

  it('adds the limits of priorities that are one band here, and says so', () => {
    const priorityBands = [
      { priority: 10, maxRequests: 3 },
      { priority: 20, maxRequests: 4 },
    ];
    const { flowControl, warnings } = read({ ...TTL, priorityBands });
    expect(flowControl?.bands.critical).toEqual(band({ maxRequests: 7, maxBytes: 536_870_912 }));
    expect(warnings).toEqual(['priorities 10 and 20 are one band here (critical), with the sum of their limits']);
  });

  it('takes the templates for bands that are not listed', () => {
    const template = { ...TTL, defaultPriorityBand: { maxRequests: 5 } };
    expect(read(template).flowControl?.bands).toMatchObject({
      critical: { maxRequests: 5 },
      standard: { maxRequests: 5 },
      sheddable: { maxRequests: 5 },
    });
    expect(read({ ...template, defaultNegativePriorityBand: { maxRequests: 1 } }).flowControl?.bands).toMatchObject({
      critical: { maxRequests: 5 },
      sheddable: { maxRequests: 1 },
    });
  });

  it('gives no band more than all have, in bytes and in requests', () => {
    const { flowControl, warnings } = read({ ...TTL, maxBytes: '1Mi', maxRequests: 10 });
    expect(flowControl?.bands.standard).toEqual(band({ maxRequests: 10, maxBytes: 1_048_576 }));
    expect(warnings).toEqual(['flowControl.maxRequests limits each band here, and not all together']);
    const large = { ...TTL, priorityBands: [{ priority: 1, maxBytes: '2Gi', maxRequests: '1M' }] };
    expect(read(large)).toMatchObject({
      flowControl: {
        maxBytes: 1_073_741_824,
        bands: { critical: { maxBytes: 1_073_741_824, maxRequests: 100_000 } },
      },
      warnings: [
        'flowControl.maxBytes is 2147483648: here all bands together hold at most 1Gi',
        'maxRequests of the priorities of the band critical is 1000000: here it is 100000',
        'maxBytes of the priorities of the band critical is 2147483648: here it is 1073741824',
      ],
    });
  });

  it('holds a request for an empty pool as long as the file says', () => {
    expect(read({ ...TTL, noEndpointRequestTTL: '2m' }).emptyPoolHoldMs).toBe(120_000);
    expect(read(TTL)).not.toHaveProperty('emptyPoolHoldMs');
  });

  it('holds no request without end, nor longer than 5 minutes', () => {
    for (const text of ['0s', '1h']) {
      const { flowControl, warnings } = read({ defaultRequestTTL: text });
      expect(flowControl?.bands.critical.ttlMs).toBe(300_000);
      expect(warnings).toEqual([`flowControl.defaultRequestTTL is ${text}: here a request waits at most 5m`]);
    }
  });

  it.each([
    [{ enableEviction: true }, 'flowControl.enableEviction: this gateway ends no running request'],
    [{ maxBytes: '1 GB' }, 'flowControl.maxBytes: must be a quantity'],
    [{ maxBytes: '' }, 'flowControl.maxBytes: must be a quantity'],
    [{ maxRequests: '  ' }, 'flowControl.maxRequests: must be a quantity'],
    [{ priorityBands: [{ priority: 2_147_483_648 }] }, 'flowControl.priorityBands.0.priority: '],
    [
      { priorityBands: [{ priority: 5 }, { priority: 5 }] },
      'flowControl.priorityBands.1.priority: priority 5 is listed before',
    ],
    [{ defaultRequestTTL: '30' }, 'flowControl.defaultRequestTTL: must be a duration'],
    [
      { priorityBands: [{ priority: 1, fairnessPolicyRef: 'fair' }] },
      'flowControl.priorityBands.0.fairnessPolicyRef: "fair" is not among plugins',
    ],
    [
      { priorityBands: [{ priority: 1, orderingPolicyRef: 'round-robin-fairness-policy' }] },
      'flowControl.priorityBands.0.orderingPolicyRef: "round-robin-fairness-policy" is a fairness policy, and no ordering policy',
    ],
    [{ maxTenants: 5 }, 'flowControl.maxTenants: an EndpointPickerConfig has no such field'],
  ])('refuses %j', (flowControl, fault) => {
    expect(() => read({ ...TTL, ...flowControl })).toThrow(fault);
  });

  it('says what is done instead of a fairness policy', () => {
    const text = JSON.stringify({
      apiVersion: 'inference.networking.x-k8s.io/v1alpha1',
      kind: 'EndpointPickerConfig',
      ...GATE,
      plugins: [{ name: 'turns', type: 'round-robin-fairness-policy' }],
      flowControl: { ...TTL, priorityBands: [{ priority: 1, fairnessPolicyRef: 'turns' }] },
    });
    expect(parseEndpointPickerConfig(text, 'epp')).toMatchObject({
      warnings: ['plugin turns: tenants of a band take turns here, in equal shares of tokens'],
    });
  });
});
