import type { V1PodSpec } from '@kubernetes/client-node';

/** What is acted on, or has no meaning where every pod is a process of one machine. */
type Fields =
  | 'any'
  | { readonly each: Fields }
  | { readonly fields: Readonly<Record<string, Fields>> }
  | { readonly oneOf: readonly unknown[] };

const any = 'any';
const each = (fields: Fields): Fields => ({ each: fields });
const object = (fields: Readonly<Record<string, Fields>>): Fields => ({ fields });
const names = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, any] as const));
const oneOf = (...values: readonly unknown[]): Fields => ({ oneOf: values });

const KEYS = each(object(names('key', 'path', 'mode')));
const DOWNWARD = each(object(names('path', 'fieldRef', 'resourceFieldRef', 'mode')));

const VOLUME = object({
  ...names('name', 'emptyDir'),
  secret: object({ ...names('secretName', 'defaultMode', 'optional'), items: KEYS }),
  configMap: object({ ...names('name', 'defaultMode', 'optional'), items: KEYS }),
  downwardAPI: object({ ...names('defaultMode'), items: DOWNWARD }),
  projected: object({
    ...names('defaultMode'),
    sources: each(
      object({
        secret: object({ ...names('name', 'optional'), items: KEYS }),
        configMap: object({ ...names('name', 'optional'), items: KEYS }),
        downwardAPI: object({ items: DOWNWARD }),
        serviceAccountToken: object(names('audience', 'expirationSeconds', 'path')),
      }),
    ),
  }),
});

const HTTP = object(names('path', 'port', 'host', 'scheme', 'httpHeaders'));
const HANDLER = { exec: object(names('command')), httpGet: HTTP, tcpSocket: object(names('port', 'host')) };
const PROBE = object({
  ...HANDLER,
  grpc: object(names('port', 'service')),
  ...names('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
  ...names('terminationGracePeriodSeconds'),
});
const HOOK = object({ exec: HANDLER.exec, httpGet: HTTP, sleep: object(names('seconds')) });

const ENV = each(
  object({
    ...names('name', 'value'),
    valueFrom: object({
      fieldRef: object(names('apiVersion', 'fieldPath')),
      resourceFieldRef: object(names('containerName', 'resource', 'divisor')),
      secretKeyRef: object(names('name', 'key', 'optional')),
      configMapKeyRef: object(names('name', 'key', 'optional')),
    }),
  }),
);

const CONTAINER = {
  // Memory and processor time are not limited, and images are always there.
  ...names('name', 'image', 'imagePullPolicy', 'command', 'args', 'workingDir', 'resources', 'resizePolicy'),
  ...names('terminationMessagePath', 'terminationMessagePolicy'),
  ports: each(object(names('name', 'containerPort', 'protocol'))),
  env: ENV,
  envFrom: each(
    object({
      prefix: any,
      secretRef: object(names('name', 'optional')),
      configMapRef: object(names('name', 'optional')),
    }),
  ),
  volumeMounts: each(object(names('name', 'mountPath', 'subPath', 'subPathExpr', 'readOnly'))),
  securityContext: object({
    ...names('runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem', 'allowPrivilegeEscalation'),
    ...names('seccompProfile', 'appArmorProfile'),
    capabilities: object({ drop: any, add: each(oneOf('NET_BIND_SERVICE')) }),
    privileged: oneOf(false),
  }),
} as const;

const POD = object({
  ...names('affinity', 'automountServiceAccountToken', 'dnsConfig', 'enableServiceLinks'),
  ...names(
    'hostAliases',
    'hostname',
    'imagePullSecrets',
    'nodeName',
    'nodeSelector',
    'os',
    'overhead',
    'preemptionPolicy',
  ),
  ...names('priority', 'priorityClassName', 'readinessGates', 'restartPolicy', 'schedulerName', 'serviceAccount'),
  ...names('serviceAccountName', 'subdomain', 'terminationGracePeriodSeconds', 'tolerations'),
  ...names('topologySpreadConstraints'),
  dnsPolicy: oneOf('ClusterFirst', 'None'),
  ...{ hostNetwork: oneOf(false), hostPID: oneOf(false), hostIPC: oneOf(false) },
  securityContext: object({
    ...names('runAsUser', 'runAsGroup', 'runAsNonRoot', 'supplementalGroups', 'fsGroup', 'fsGroupChangePolicy'),
    ...names('seccompProfile', 'appArmorProfile'),
  }),
  volumes: each(VOLUME),
  initContainers: each(object(CONTAINER)),
  containers: each(
    object({
      ...CONTAINER,
      ...{ startupProbe: PROBE, readinessProbe: PROBE, livenessProbe: PROBE },
      lifecycle: object({ preStop: HOOK, postStart: HOOK }),
    }),
  ),
});

/** The fields of a pod that this kubelet does not act on but should, as paths with the reason; empty where it can run it. */
export function unsupportedFields(spec: V1PodSpec): readonly string[] {
  return complaints(spec, POD, 'spec');
}

function complaints(value: unknown, fields: Fields, path: string): readonly string[] {
  if (fields === 'any' || value === undefined || value === null) return [];
  if ('oneOf' in fields) {
    if (fields.oneOf.includes(value)) return [];
    return [`${path}: ${JSON.stringify(value)} (only ${fields.oneOf.map((one) => JSON.stringify(one)).join(', ')})`];
  }
  if ('each' in fields) {
    return (value as unknown[]).flatMap((item, index) => complaints(item, fields.each, `${path}[${index}]`));
  }
  return Object.entries(value as object).flatMap(([key, item]) => {
    const known = fields.fields[key];
    return known === undefined ? [`${path}.${key}`] : complaints(item, known, `${path}.${key}`);
  });
}
