import type { Context } from '../context';
import { PORTS } from '../names';
import { collector, hasCollector } from './collector';
import { containerResources } from './container-resources';
import { spread } from './placement';
import { RESTRICTED_CONTAINER, RESTRICTED_POD } from './security';
import { mergedVariables } from './variables';

/** A router or a picker as a pod. */
export interface PodParts {
  readonly name: 'router' | 'picker';
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of the pods that are to be apart from each other. */
  readonly apart: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  /** Secret of its certificate. */
  readonly certificate: string;
  readonly resources: Parameters<typeof containerResources>[1];
  /** Seconds. */
  readonly gracePeriod: number;
  /** Besides those of `spec.podDefaults`; they win. */
  readonly env?: ReadonlyArray<{ readonly name: string }> | undefined;
  readonly envFrom?: readonly unknown[] | undefined;
}

/** Where the certificate of a pod is. */
const CERTIFICATE_FOLDER = '/etc/inference-gateway/tls';

/** What a pod has read is kept here, for a container that starts again while the API server is away. */
const STATE_FOLDER = '/var/lib/inference-gateway';

/**
 * Flags of a certificate for one direction: `--tls-cert`, or `--serve-tls-cert` with the prefix. `anybody`: the other
 * side needs none.
 */
export function certificateFlags(prefix: '' | 'serve-', whom: 'known' | 'anybody' = 'known'): string[] {
  return [
    `--${prefix}tls-cert=${CERTIFICATE_FOLDER}/tls.crt`,
    `--${prefix}tls-key=${CERTIFICATE_FOLDER}/tls.key`,
    ...(whom === 'known' ? [`--${prefix}tls-ca=${CERTIFICATE_FOLDER}/ca.crt`] : []),
  ];
}

/** Where the objects come from: the InferenceGatewayConfig and what belongs to it. */
export function objectFlags({ config, namespace }: Context): string[] {
  return [`--kubernetes=${namespace}/${config.metadata.name}`, `--state-file=${STATE_FOLDER}/objects.json`];
}

/** Host to listen on in a pod of this cluster. */
export function anyAddress({ installation }: Context): string {
  return (installation.ipFamily ?? 'IPv4') === 'IPv4' ? '0.0.0.0' : '[::]';
}

/** `spec.template` of a Deployment. */
export function podTemplate(context: Context, parts: PodParts) {
  const { config, installation } = context;
  const { podDefaults: defaults = {} } = config.spec;
  const { image } = installation;
  const variables = mergedVariables(defaults, parts);
  const beside = hasCollector(context) ? collector(context, variables) : undefined;
  const metrics = { name: 'metrics', containerPort: PORTS.metrics };
  return {
    metadata: {
      labels: { ...defaults.labels, ...parts.labels },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(PORTS.metrics),
        'prometheus.io/path': '/metrics',
        ...defaults.annotations,
      },
    },
    spec: {
      serviceAccountName: parts.serviceAccount,
      // It reads its objects from the Kubernetes API.
      automountServiceAccountToken: true,
      securityContext: RESTRICTED_POD,
      terminationGracePeriodSeconds: parts.gracePeriod,
      ...(image.pullSecrets.length > 0 && { imagePullSecrets: image.pullSecrets.map((name) => ({ name })) }),
      ...(defaults.nodeSelector && { nodeSelector: defaults.nodeSelector }),
      ...(defaults.tolerations && { tolerations: defaults.tolerations }),
      ...(defaults.affinity && { affinity: defaults.affinity }),
      topologySpreadConstraints: spread(parts.apart),
      containers: [
        {
          name: parts.name,
          image: image.reference,
          imagePullPolicy: image.pullPolicy,
          args: parts.args,
          ...variables,
          ports: [...parts.ports, metrics],
          resources: containerResources(defaults.resources, parts.resources),
          securityContext: RESTRICTED_CONTAINER,
          ...probes(),
          volumeMounts: [
            { name: 'certificate', mountPath: CERTIFICATE_FOLDER, readOnly: true },
            { name: 'state', mountPath: STATE_FOLDER },
          ],
        },
        ...(beside === undefined ? [] : [beside.container]),
      ],
      volumes: [
        { name: 'certificate', secret: { secretName: parts.certificate, defaultMode: 0o440 } },
        { name: 'state', emptyDir: { sizeLimit: '256Mi' } },
        ...(beside === undefined ? [] : [beside.volume]),
      ],
    },
  };
}

/** Ready: the objects are read and it listens. Alive: the process answers at all. */
function probes() {
  const get = (path: string) => ({ httpGet: { path, port: 'metrics' }, timeoutSeconds: 2 });
  return {
    // Until the objects have been read; the API server may be away for a while.
    startupProbe: { ...get('/readyz'), periodSeconds: 1, failureThreshold: 300 },
    readinessProbe: { ...get('/readyz'), periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: { ...get('/healthz'), periodSeconds: 10, failureThreshold: 6 },
  };
}
