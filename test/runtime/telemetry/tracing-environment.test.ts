import { tracingSettings } from '../../../runtime/telemetry/tracing-environment';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const settings = (environment: Record<string, string>) => tracingSettings({ ...ON, ...environment })!;

test.each([
  [{}, false],
  [ON, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ ...ON, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...ON, OTEL_SDK_DISABLED: 'TRUE' }, false],
])('%j: traces are on: %s', (environment, on) => {
  expect(tracingSettings(environment) !== undefined).toBe(on);
});

test('the defaults are those of the specification', () => {
  expect(settings({})).toEqual({
    protocol: 'http/protobuf',
    sampler: { root: 'on', ratio: 1, parentBased: true },
    batch: {},
    limits: {},
    warnings: [],
  });
});

test.each([
  ['always_on', { root: 'on', parentBased: false }],
  ['always_off', { root: 'off', parentBased: false }],
  ['traceidratio', { root: 'ratio', parentBased: false }],
  ['parentbased_always_on', { root: 'on', parentBased: true }],
  ['parentbased_always_off', { root: 'off', parentBased: true }],
  ['parentbased_traceidratio', { root: 'ratio', parentBased: true }],
])('the sampler %s', (name, expected) => {
  const { sampler } = settings({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' });
  expect(sampler).toEqual({ ...expected, ratio: 0.25 });
});

test('batches and limits are taken as they are set, the one for spans before the one for all', () => {
  expect(
    settings({
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '64',
      OTEL_ATTRIBUTE_COUNT_LIMIT: '10',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '20',
    }),
  ).toMatchObject({ batch: { scheduledDelayMillis: 100, maxQueueSize: 64 }, limits: { attributeCountLimit: 20 } });
});

test('the protocol for traces goes before the one for all signals', () => {
  const all = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };
  expect(settings({ ...all, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }).protocol).toBe('http/json');
});

test.each([
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
])('%s=%s is warned of by its name, and the default stands', (name, value) => {
  const { warnings, ...taken } = settings({ [name]: value });
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  const { warnings: _none, ...defaults } = settings({});
  expect(taken).toEqual(defaults);
});
