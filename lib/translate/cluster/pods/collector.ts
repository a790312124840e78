import { stringify } from 'yaml';
import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';
import { PORTS } from '../names';
import { COLLECTOR_RESOURCES } from './container-resources';
import { RESTRICTED_CONTAINER } from './security';

const CONFIG_FILE = 'collector.yaml';
const CONFIG_FOLDER = '/etc/collector';

/** Where readings go. The variable may come from `spec.podDefaults.env`; where it does not, nothing but a warning comes of it. */
const ENDPOINT = `\${env:OTEL_EXPORTER_OTLP_ENDPOINT:-http://127.0.0.1:4318}`;

/** Reads the page of the process beside it, and sends it on by OTLP. */
const CONFIG = {
  receivers: {
    prometheus: {
      config: {
        scrape_configs: [
          {
            job_name: 'inference-gateway',
            scrape_interval: '15s',
            static_configs: [{ targets: [`127.0.0.1:${PORTS.metrics}`] }],
          },
        ],
      },
    },
  },
  processors: { batch: {} },
  exporters: { otlphttp: { endpoint: ENDPOINT } },
  service: {
    telemetry: { metrics: { level: 'none' } },
    pipelines: { metrics: { receivers: ['prometheus'], processors: ['batch'], exporters: ['otlphttp'] } },
  },
};

/** Whether routers and pickers have a collector beside them. */
export function hasCollector({ config, installation }: Context): boolean {
  return installation.collectorImage !== undefined && config.spec.observability.metrics.enabled;
}

/** The configuration, in each namespace where pods mount it. */
export function collectorConfigMaps(context: Context): KubernetesObject[] {
  if (!hasCollector(context)) return [];
  const { installation, namespace, names, make } = context;
  const data = { [CONFIG_FILE]: stringify(CONFIG) };
  return [...new Set([installation.systemNamespace, namespace])].map((one) =>
    make('v1', 'ConfigMap', { name: names.collector, namespace: one }, { data }),
  );
}

/** The container and its volume. `variables`: `env` and `envFrom` of the container beside it. */
export function collector({ installation, names }: Context, variables: Readonly<Record<string, unknown>>) {
  return {
    container: {
      name: 'otel-collector',
      image: installation.collectorImage,
      imagePullPolicy: installation.image.pullPolicy,
      args: [`--config=${CONFIG_FOLDER}/${CONFIG_FILE}`],
      ...variables,
      resources: COLLECTOR_RESOURCES,
      securityContext: RESTRICTED_CONTAINER,
      volumeMounts: [{ name: 'collector', mountPath: CONFIG_FOLDER, readOnly: true }],
    },
    volume: { name: 'collector', configMap: { name: names.collector } },
  };
}
