import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { chatBody, send } from '../e2e/support/send';
import { connectProxy, requestMessages } from '../runtime/gie-picker/grpc-proxy';
import { type Cluster, startCluster } from './support/cluster';
import { makeRunFolder } from './support/run-folder';
import { type CertificateFiles, selfSigned } from './support/self-signed';
import { standardImages } from './support/standard-images';

const CRDS = join(__dirname, '..', '..', 'config', 'crd');
const IMAGE = 'registry.example/inference-gateway:1';
const NAMESPACE = 'team';
const ROUTER = 'router.team.svc.cluster.local';
const POD_PORT = 8000;
/** Far below the five minutes after which all is listed again. */
const AT_ONCE_MS = 10_000;

let cluster: Cluster;
let certificate: CertificateFiles;
let former: CertificateFiles;

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages() });
  const folder = await makeRunFolder();
  const names = [ROUTER, 'a-epp.team.svc', 'b-epp.team.svc'];
  [former, certificate] = [
    await selfSigned(join(folder.data, 'former'), names),
    await selfSigned(join(folder.data, 'later'), names),
  ];
  const definitions = [CRDS, join(CRDS, 'vendor', 'inference-extension')];
  for (const path of definitions) await cluster.kubectl(['apply', '--server-side', '-f', path]);
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...access(),
    secret(former),
  ]);
  await putConfig('a');
  await cluster.apply([...router(), ...picker('a'), modelServer('a-0', 'a')]);
  await Promise.all(['router', 'a-epp'].map((name) => cluster.rolledOut(NAMESPACE, name)));
  await ready('a-0');
}, 240_000);
afterAll(() => cluster?.close());

/** All that routers and pickers need. */
function access(): object[] {
  const read = (apiGroups: string[], resources: string[]) => ({
    apiGroups,
    resources,
    verbs: ['get', 'list', 'watch'],
  });
  const rules = [
    read([''], ['pods', 'configmaps']),
    read(['inference.sagemaker.aws.amazon.com'], ['inferencegatewayconfigs']),
    read(['inference.networking.x-k8s.io', 'llm-d.ai'], ['inferencemodelrewrites', 'inferenceobjectives']),
  ];
  const metadata = { name: 'gateway', namespace: NAMESPACE };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gateway' },
      subjects: [{ kind: 'ServiceAccount', name: 'gateway', namespace: NAMESPACE }],
    },
  ];
}

/** Both certificates are trusted, so that one can follow the other. */
function secret(shown: CertificateFiles): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tls', namespace: NAMESPACE },
    stringData: {
      'tls.crt': shown.certificate,
      'tls.key': shown.key,
      'ca.crt': former.certificate + certificate.certificate,
    },
  };
}

function putConfig(...schedulers: readonly string[]): Promise<void> {
  return cluster.apply({
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'gw', namespace: NAMESPACE },
    spec: {
      bbr: { enabled: true },
      schedulers: schedulers.map((name) => ({
        ...{ name, modelName: name, targetPort: POD_PORT },
        modelSelector: { matchExpressions: [{ key: 'model', operator: 'In', values: [name] }] },
      })),
    },
  });
}

const tlsFlags = (prefix: string) =>
  ['cert=tls.crt', 'key=tls.key', 'ca=ca.crt'].map((pair) => `${prefix}-${pair.replace('=', '=/tls/')}`);

function part(name: string, args: readonly string[], port: number, headless: boolean): object[] {
  const labels = { app: name };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'gateway',
            terminationGracePeriodSeconds: 5,
            containers: [
              {
                name: 'main',
                image: IMAGE,
                args: [
                  ...args,
                  '--kubernetes',
                  `${NAMESPACE}/gw`,
                  '--state-file',
                  '/state/objects.json',
                  ...tlsFlags('--tls'),
                ],
                readinessProbe: { httpGet: { path: '/readyz', port: 9090 }, periodSeconds: 1, failureThreshold: 1 },
                volumeMounts: [
                  { name: 'tls', mountPath: '/tls' },
                  { name: 'state', mountPath: '/state' },
                ],
              },
            ],
            volumes: [
              { name: 'tls', secret: { secretName: 'tls' } },
              { name: 'state', emptyDir: {} },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: NAMESPACE },
      spec: { selector: labels, ports: [{ port }], ...(headless && { clusterIP: 'None' }) },
    },
  ];
}

const router = () =>
  part(
    'router',
    ['router', '--picker-service', '{name}-epp.{namespace}.svc:9005', ...tlsFlags('--serve-tls')],
    9004,
    false,
  );
const picker = (scheduler: string) =>
  part(`${scheduler}-epp`, ['picker', '--scheduler', `${NAMESPACE}/${scheduler}`], 9005, true);

/** Ready once there is a file `/tmp/ready`, where it is to wait for one. */
function modelServer(name: string, model: string, waits = false): object {
  const probe = waits
    ? { exec: { command: ['test', '-e', '/tmp/ready'] } }
    : { httpGet: { path: '/health', port: POD_PORT } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE, labels: { model } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: IMAGE,
          args: ['model-server', '--model', model, '--host', '0.0.0.0', '--port', String(POD_PORT)],
          readinessProbe: { ...probe, periodSeconds: 1, failureThreshold: 1 },
        },
      ],
    },
  };
}

const podOf = (name: string) => cluster.pods.get(`${NAMESPACE}/${name}`);
const isReady = (name: string) =>
  podOf(name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const ready = (name: string) => cluster.until(`${name} is ready`, () => isReady(name), { timeout: 60_000, every: 10 });
const addressOf = (name: string) => `${podOf(name)!.status!.podIP}:${POD_PORT}`;

/** Where the router sends a request, as Envoy asks it: pods in order, `balanced`, or the status that it answers itself. */
async function ask(model: string, shown = certificate): Promise<string> {
  const trusted = Buffer.from(former.certificate + certificate.certificate);
  const channel = credentials.createSsl(trusted, Buffer.from(shown.key), Buffer.from(shown.certificate));
  const proxy = connectProxy({ host: ROUTER, port: 9004 }, channel);
  try {
    const stream = proxy.open();
    const headers = { ':path': '/v1/chat/completions', 'content-type': 'application/json' };
    for (const message of requestMessages({ headers, body: [chatBody(model)] })) stream.send(message);
    const first = await stream.next();
    const { immediateResponse, requestBody } = (await stream.next()) ?? {};
    stream.cancel();
    if (first === undefined) throw new Error((await stream.status).details);
    if (immediateResponse) return String(immediateResponse.status.code);
    const set: Array<{ header: { key: string; rawValue: Buffer } }> =
      requestBody.response.headerMutation?.setHeaders ?? [];
    return (
      set.find(({ header }) => header.key === 'x-gateway-destination-endpoint')?.header.rawValue.toString() ??
      'balanced'
    );
  } finally {
    proxy.close();
  }
}

async function metricsOf(app: string): Promise<string> {
  const [pod] = cluster.pods.list().filter(({ metadata }) => metadata?.labels?.app === app);
  return (await send(`http://${pod!.status!.podIP}:9090`, '/metrics')).body.toString();
}

test('a request goes from the place of Envoy over TLS to the router, and on to a pod that the picker has picked', async () => {
  await cluster.until('the picker is connected', async () => (await ask('a')) === addressOf('a-0'));
  const router = await metricsOf('router');
  expect(router).toContain('inference_gateway_peers 1');
  expect(router).toContain('inference_gateway_objects_remembered 0');
});

test('a stranger without a certificate gets nowhere', async () => {
  const folder = await makeRunFolder();
  await expect(ask('a', await selfSigned(join(folder.data, 'stranger'), ['stranger']))).rejects.toThrow();
});

test('a pod that becomes ready is picked at once, and one that is deleted no more', async () => {
  await cluster.apply(modelServer('a-1', 'a', true));
  await cluster.until('it runs', () => podOf('a-1')?.status?.phase === 'Running', { timeout: 60_000 });
  await sleep(1_500);
  expect(new Set(await Promise.all([1, 2, 3, 4].map(() => ask('a'))))).toEqual(new Set([addressOf('a-0')]));
  await cluster.kubelet.exec(NAMESPACE, 'a-1', 'main', ['touch', '/tmp/ready']);
  await ready('a-1');
  await cluster.until('it is picked', async () => (await ask('a')).includes(addressOf('a-1')), {
    timeout: AT_ONCE_MS,
    every: 1,
  });

  const address = addressOf('a-1');
  await cluster.kubectl(['delete', 'pod', 'a-1', '-n', NAMESPACE, '--wait=false']);
  await cluster.until('it is no candidate', async () => !(await ask('a')).includes(address), {
    timeout: AT_ONCE_MS,
    every: 1,
  });
});

test('a scheduler that is added has its pickers without a restart, and leaves nothing when it is removed', async () => {
  const restarts = () => cluster.pods.list().map(({ status }) => status?.containerStatuses?.[0]?.restartCount ?? 0);
  await putConfig('a', 'b');
  await cluster.until('the model is known', async () => (await ask('b')) === 'balanced');
  await cluster.apply([...picker('b'), modelServer('b-0', 'b')]);
  await Promise.all([cluster.rolledOut(NAMESPACE, 'b-epp'), ready('b-0')]);
  await cluster.until('its pod is picked', async () => (await ask('b')) === addressOf('b-0'));
  expect(await ask('a')).toBe(addressOf('a-0'));
  expect(await metricsOf('router')).toContain('inference_gateway_peers 2');

  await putConfig('a');
  await cluster.until('the model is not known', async () => (await ask('b')) === '404', { timeout: AT_ONCE_MS });
  await cluster.until('its picker is left', async () =>
    (await metricsOf('router')).includes('inference_gateway_peers 1'),
  );
  expect(await metricsOf('router')).not.toContain('team/b');
  expect(Math.max(...restarts())).toBe(0);
});

test('a ConfigMap of adapters that becomes faulty counts as it was, until it is good again', async () => {
  const adapters = (text: string) =>
    cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'adapters',
        namespace: NAMESPACE,
        labels: { 'inference.networking.k8s.io/bbr-managed': 'true' },
      },
      data: { baseModel: 'a', adapters: text },
    });
  await adapters('- sql\n');
  await cluster.until('the adapter is known', async () => (await ask('sql')) === addressOf('a-0'));
  await adapters('sql: yes');
  await sleep(500);
  expect(await ask('sql')).toBe(addressOf('a-0'));
  await adapters('- code\n');
  await cluster.until('the other is', async () => (await ask('code')) === addressOf('a-0'));
  expect(await ask('sql')).toBe('404');
});

test('without the API server requests go on, also through a picker that starts just then; what changed counts when it is back', async () => {
  const [pickerPod] = cluster.pods.list().filter(({ metadata }) => metadata?.labels?.app === 'a-epp');
  const address = addressOf('a-0');
  await cluster.controlPlane.stopApiServer();
  expect(await ask('a')).toBe(address);
  cluster.kubelet.killContainer(NAMESPACE, pickerPod!.metadata!.name!, 'main', 'SIGKILL');
  await cluster.until('it is away', async () => (await ask('a')) === 'balanced');
  await cluster.until('it is back, with the objects that it has kept', async () => (await ask('a')) === address);
  expect(await metricsOf('a-epp')).toContain('inference_gateway_objects_remembered 1');

  await cluster.controlPlane.startApiServer();
  await cluster.apply(modelServer('a-2', 'a'));
  await ready('a-2');
  await cluster.until('the new pod is picked', async () => (await ask('a')).includes(addressOf('a-2')), {
    timeout: 40_000,
  });
  expect(await metricsOf('a-epp')).toContain('inference_gateway_objects_remembered 0');
}, 180_000);

test('a Secret that is renewed is shown to new connections, and requests go on', async () => {
  await cluster.apply(secret(certificate));
  const answers = new Set<string>();
  const trustsNewOnly = () =>
    new Promise<boolean>((resolve) => {
      const channel = credentials.createSsl(
        Buffer.from(certificate.certificate),
        Buffer.from(certificate.key),
        Buffer.from(certificate.certificate),
      );
      const proxy = connectProxy({ host: ROUTER, port: 9004 }, channel);
      proxy
        .health('')
        .then(
          (status) => resolve(status === 'SERVING'),
          () => resolve(false),
        )
        .finally(() => proxy.close());
    });
  await cluster.until(
    'the router shows it',
    async () => {
      answers.add((await ask('a')).includes(':') ? 'picked' : 'not picked');
      return await trustsNewOnly();
    },
    { timeout: 40_000, every: 500 },
  );
  expect(answers).toEqual(new Set(['picked']));
}, 60_000);
