import type { TokenIssuer } from './token-issuer';

/* The objects of a gateway that asks for tokens, in a namespace that takes only restricted pods. */

export const NAME = 'guarded';
export const NAMESPACE = 'models';
export const MIB = 1024 * 1024;
export const AUDIENCE = 'gateway';
/** Tokens of this gateway have it: its value. */
export const GROUP = 'research';
const SMALL = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '2Gi' } };
const RESTRICTED = 'pod-security.kubernetes.io/enforce';

export const namespaceObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: NAMESPACE, labels: { [RESTRICTED]: 'restricted' } },
};

/** A simulated model server, as a pod. */
export function modelPod(name: string, labels: Readonly<Record<string, string>>, ...flags: readonly string[]): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'model-server',
          image: 'inference-gateway:test',
          args: ['model-server', '--host=0.0.0.0', '--port=8000', ...flags],
          readinessProbe: { httpGet: { path: '/health', port: 8000 }, periodSeconds: 1 },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    },
  };
}

/** `llama` is chosen by expressions; nobody serves `held`, so that its requests wait. */
export const config = {
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
  kind: 'InferenceGatewayConfig',
  metadata: { name: NAME, namespace: NAMESPACE },
  spec: {
    bbr: { enabled: true, replicas: 2, maxRequestBodyBytes: MIB },
    tls: {},
    endpoint: { type: 'clusterIP' },
    observability: { explain: { enabled: true } },
    overload: { emptyPoolHold: '60s' },
    podDefaults: { resources: SMALL },
    envoy: { minReplicas: 2, maxReplicas: 3, resources: SMALL },
    schedulers: [
      {
        name: 'llama',
        modelName: 'llama',
        modelSelector: {
          matchExpressions: [
            { key: 'app', operator: 'In', values: ['llama', 'llama-canary'] },
            { key: 'tier', operator: 'NotIn', values: ['batch'] },
            { key: 'retired', operator: 'DoesNotExist' },
          ],
        },
      },
      { name: 'slow', modelName: 'slow', modelSelector: { matchLabels: { app: 'slow' } }, replicas: 1 },
      {
        name: 'held',
        modelName: 'held',
        modelSelector: { matchLabels: { app: 'held' } },
        replicas: 1,
        flowControl: { bands: { standard: { maxRequests: 2, ttl: '60s' }, critical: { ttl: '60s' } } },
      },
    ],
  },
};

export const objective = {
  apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
  kind: 'InferenceObjective',
  metadata: { name: 'interactive', namespace: NAMESPACE },
  spec: { priority: 10, poolRef: { name: 'held' } },
};

/** `spec.auth` by which tokens of this issuer are asked for. */
export const authOf = ({ issuer, keysUrl }: TokenIssuer) => ({
  jwt: {
    provider: {
      name: 'company',
      issuer,
      remoteJWKS: { uri: keysUrl },
      audiences: [AUDIENCE],
      requiredClaims: [{ name: 'groups', valueType: 'StringArray', values: [GROUP] }],
    },
    claims: { objective: 'gateway.objective', tenant: 'org' },
  },
});
