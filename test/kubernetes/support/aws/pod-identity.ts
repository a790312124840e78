import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Cluster } from '../cluster';
import { shell } from '../shell';

/** Where the agent of EKS answers: the SDK takes credentials without TLS from few other places. */
const AGENT_IP = '169.254.170.23';
const AUDIENCE = 'pods.eks.amazonaws.com';
const FOLDER = '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount';
const VOLUME = 'eks-pod-identity-token';
const ACCOUNT = 'hyperpod-inference-gateway-controller';
const HOUR_MS = 3_600_000;

const REGION = 'us-west-2';

/**
 * Stands in for EKS Pod Identity: its webhook gives pods of the controller's account a Region and a token, its agent
 * gives credentials to who shows such a token. `acmUrl`: what stands in for ACM is found there.
 */
export async function startPodIdentity(cluster: Cluster, acmUrl: string): Promise<{ close(): Promise<void> }> {
  await shell('ip addr replace "$1/32" dev lo', AGENT_IP);
  const server = createServer((request, response) => {
    if (!isForAgent(request.headers.authorization)) {
      response.writeHead(401).end();
      return;
    }
    const Expiration = new Date(Date.now() + HOUR_MS).toISOString();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ AccessKeyId: 'ASIATEST', SecretAccessKey: 'test', Token: 'test', Expiration }));
  });
  server.listen(80, AGENT_IP);
  await once(server, 'listening');
  await cluster.apply(webhook(acmUrl));
  await cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: 'default' } });
  await cluster.until('the API server minds the policy', async () => (await asAdmitted(cluster)).includes(REGION));
  return {
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A pod of the account as the API server would have it; it heeds a new policy only after a while. */
async function asAdmitted({ kubectl }: Cluster): Promise<string> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked', namespace: 'default' },
    spec: {
      serviceAccountName: ACCOUNT,
      containers: [{ name: 'main', image: 'none', env: [{ name: 'NONE', value: '' }] }],
    },
  };
  return await kubectl(['create', '--dry-run=server', '-o', 'json', '-f', '-'], JSON.stringify(pod));
}

function isForAgent(token = ''): boolean {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { aud: readonly string[] };
    return aud.includes(AUDIENCE);
  } catch {
    return false;
  }
}

/** A policy of the API server does what the webhook does. */
function webhook(acmUrl: string): readonly object[] {
  const environment = {
    AWS_REGION: REGION,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://${AGENT_IP}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: `${FOLDER}/${VOLUME}`,
    AWS_ENDPOINT_URL_ACM: acmUrl,
  };
  const add = (path: string, value: string) => `JSONPatch{op: "add", path: "${path}", value: ${value}}`;
  const token = `Object.spec.volumes.projected.sources.serviceAccountToken{audience: "${AUDIENCE}", path: "${VOLUME}", expirationSeconds: 86400}`;
  const sources = `[Object.spec.volumes.projected.sources{serviceAccountToken: ${token}}]`;
  const patches = [
    add(
      '/spec/volumes/-',
      `Object.spec.volumes{name: "${VOLUME}", projected: Object.spec.volumes.projected{sources: ${sources}}}`,
    ),
    add(
      '/spec/containers/0/volumeMounts/-',
      `Object.spec.containers.volumeMounts{name: "${VOLUME}", mountPath: "${FOLDER}", readOnly: true}`,
    ),
    ...Object.entries(environment).map(([name, value]) =>
      add('/spec/containers/0/env/-', `Object.spec.containers.env{name: "${name}", value: "${value}"}`),
    ),
  ];
  const metadata = { name: 'pod-identity' };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        matchConditions: [{ name: 'account', expression: `object.spec.serviceAccountName == "${ACCOUNT}"` }],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[${patches.join(', ')}]` } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: 'pod-identity' } },
  ];
}
