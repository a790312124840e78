/** What the OpenTelemetry environment variables say, as far as the SDK's parts do not read them themselves. */
export interface TracingSettings {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly sampler: SamplerSettings;
  readonly batch: BatchSettings;
  readonly limits: LimitSettings;
  /** What could not be taken as it was written, each in a sentence that names the variable. */
  readonly warnings: readonly string[];
}

export interface SamplerSettings {
  readonly root: 'on' | 'off' | 'ratio';
  /** 0 to 1; of `ratio`. */
  readonly ratio: number;
  /** A trace that the caller has begun is sampled as the caller says. */
  readonly parentBased: boolean;
}

interface BatchSettings {
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
}

interface LimitSettings {
  readonly attributeValueLengthLimit?: number;
  readonly attributeCountLimit?: number;
  readonly eventCountLimit?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined: traces are off. They are on when `OTEL_EXPORTER_OTLP_ENDPOINT`, its form for traces, or
 * `OTEL_TRACES_EXPORTER` is set, unless that is `none` or `OTEL_SDK_DISABLED` is `true`. A value that is not understood
 * is warned of and stands for the default, as the OpenTelemetry specification has it.
 */
export function tracingSettings(environment: Environment): TracingSettings | undefined {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const exporter = value('OTEL_TRACES_EXPORTER');
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  if (exporter === undefined && endpoint === undefined) return undefined;

  const warnings: string[] = [];
  if (exporter !== undefined && exporter !== 'otlp') {
    warnings.push(`OTEL_TRACES_EXPORTER: expected otlp or none; traces go out as otlp`);
  }
  const number = (name: string): number | undefined => {
    const text = value(name);
    if (text === undefined) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    warnings.push(`${name}: expected a whole number; the default is used`);
    return undefined;
  };
  return {
    protocol: protocol(value, warnings),
    sampler: sampler(value, warnings),
    batch: defined({
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
      maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    }),
    limits: defined({
      attributeValueLengthLimit:
        number('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ?? number('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'),
      attributeCountLimit: number('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT') ?? number('OTEL_ATTRIBUTE_COUNT_LIMIT'),
      eventCountLimit: number('OTEL_SPAN_EVENT_COUNT_LIMIT'),
    }),
    warnings,
  };
}

type Value = (name: string) => string | undefined;

function protocol(value: Value, warnings: string[]): TracingSettings['protocol'] {
  const name =
    value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') === undefined
      ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  const text = value(name) ?? 'http/protobuf';
  if (text === 'http/protobuf' || text === 'http/json') return text;
  warnings.push(`${name}: expected http/protobuf or http/json; traces go out as http/protobuf`);
  return 'http/protobuf';
}

const SAMPLERS: Readonly<Record<string, Omit<SamplerSettings, 'ratio'>>> = {
  always_on: { root: 'on', parentBased: false },
  always_off: { root: 'off', parentBased: false },
  traceidratio: { root: 'ratio', parentBased: false },
  parentbased_always_on: { root: 'on', parentBased: true },
  parentbased_always_off: { root: 'off', parentBased: true },
  parentbased_traceidratio: { root: 'ratio', parentBased: true },
};
const DEFAULT_SAMPLER = 'parentbased_always_on';

function sampler(value: Value, warnings: string[]): SamplerSettings {
  const name = value('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER;
  if (!Object.hasOwn(SAMPLERS, name)) {
    const names = Object.keys(SAMPLERS).join(', ');
    warnings.push(`OTEL_TRACES_SAMPLER: expected one of ${names}; ${DEFAULT_SAMPLER} is used`);
    return { ...SAMPLERS[DEFAULT_SAMPLER]!, ratio: 1 };
  }
  const text = value('OTEL_TRACES_SAMPLER_ARG');
  const ratio = Number(text ?? 1);
  if (ratio >= 0 && ratio <= 1) return { ...SAMPLERS[name]!, ratio };
  warnings.push('OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1; 1 is used');
  return { ...SAMPLERS[name]!, ratio: 1 };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
