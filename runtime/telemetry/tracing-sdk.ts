import { AsyncLocalStorage } from 'node:async_hooks';
import { DiagLogLevel, diag, type Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { version } from '../../package.json';
import type { EndpointPicker } from '../endpoint-picker/endpoint-picker';
import type { Processor } from '../ext-proc/processor';
import type { SamplerSettings, TracingSettings } from './tracing-environment';
import { tracedPicker } from './tracing-picker';
import { tracedProcessor } from './tracing-processor';

/** OpenTelemetry spans of the requests that pass a router. */
export interface Tracing {
  /** A processor whose requests are spans `gateway.request`, in the trace of the caller where it names one. */
  processor(processor: Processor): Processor;
  /** A picker whose decisions are spans `gateway.pick`, children of the request's. */
  picker(picker: EndpointPicker): EndpointPicker;
  /** Sends what waits, for a few seconds at most. Never rejects. */
  close(): Promise<void>;
}

const NAME = 'inference-gateway';

/** A collector that is away must not keep a process from ending. Milliseconds. */
const CLOSE_MS = 3000;

/** Loads the SDK, which is no small thing. The exporters read `OTEL_EXPORTER_OTLP_*` themselves. */
export async function createTracing(
  settings: TracingSettings,
  modelName: (model: string) => string,
  log: Pick<Logger, 'warn'>,
): Promise<Tracing> {
  const warn = (message: string) => log.warn(`OpenTelemetry: ${message}`);
  const silent = () => {};
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const [{ W3CTraceContextPropagator }, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/core'),
    settings.protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    loadSdk(),
  ]);
  const { defaultResource, detectResources, resourceFromAttributes } = resources;
  const provider = new sdk.TracerProvider({
    // What comes later wins.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME, 'service.version': version }))
      .merge(
        detectResources({ detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector] }),
      ),
    sampler: samplerOf(settings.sampler, sdk),
    spanLimits: settings.limits,
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...settings.batch })],
  });
  const tracer = provider.getTracer(NAME, version);
  const current = new AsyncLocalStorage<Span>();
  return {
    processor: (processor) => tracedProcessor(processor, tracer, new W3CTraceContextPropagator(), current),
    picker: (picker) => tracedPicker(picker, tracer, current, modelName),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      const shutdown = provider.shutdown().catch((error: Error) => warn(`traces were lost: ${error.message}`));
      await Promise.race([shutdown, limit]);
      clearTimeout(timer);
    },
  };
}

const loadSdk = () => import('@opentelemetry/sdk-trace');

function samplerOf({ root, ratio, parentBased }: SamplerSettings, sdk: Awaited<ReturnType<typeof loadSdk>>) {
  const own = {
    on: () => new sdk.AlwaysOnSampler(),
    off: () => new sdk.AlwaysOffSampler(),
    ratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }[root]();
  return parentBased ? new sdk.ParentBasedSampler({ root: own }) : own;
}
