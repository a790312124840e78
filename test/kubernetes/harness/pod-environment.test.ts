import { type Cluster, startCluster } from '../support/cluster';
import { SERVER_IMAGE, serverObjects } from './support/server';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ images: { 'test/server': SERVER_IMAGE } });
});
afterAll(() => cluster?.close());

const ask = async (url: string) => (await fetch(url)).text();

test('variables come from fields, resources, Secrets and ConfigMaps, and name one another', async () => {
  await cluster.apply([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data: { COLOUR: 'red' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' }, stringData: { word: 'hidden' } },
    ...serverObjects('variables', {
      container: {
        resources: { limits: { cpu: '1500m', memory: '1Gi' } },
        envFrom: [{ prefix: 'THE_', configMapRef: { name: 'c' } }],
        env: [
          { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
          { name: 'WORD', valueFrom: { secretKeyRef: { name: 's', key: 'word' } } },
          { name: 'NONE', valueFrom: { secretKeyRef: { name: 'none', key: 'word', optional: true } } },
          { name: 'ALL', value: '$(POD) $(WORD) $(UNKNOWN) $$(POD)' },
        ],
      },
    }),
  ]);
  await cluster.rolledOut('default', 'variables');
  const [pod] = cluster.pods.list();
  const env = JSON.parse(await ask('http://variables.default/env'));

  expect(env).toMatchObject({
    ...{ POD: pod!.metadata!.name, HOSTNAME: pod!.metadata!.name, IP: pod!.status!.podIP, APP: 'variables' },
    ...{ CPUS: '2', MEMORY: '1024', WORD: 'hidden', THE_COLOUR: 'red' },
    ALL: `${pod!.metadata!.name} hidden $(UNKNOWN) $(POD)`,
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
  });
  expect(env.NONE).toBeUndefined();
  expect(env.KUBECONFIG).toBeUndefined();
});

test('a restricted pod runs as its user, cannot write its root, and reaches the API server with its token', async () => {
  const restricted = {
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true },
    capabilities: { drop: ['ALL'] },
  };
  const list = `fetch('https://kubernetes.default.svc/api/v1/namespaces/default/pods', {
    headers: { authorization: 'Bearer ' + require('fs').readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token') },
  }).then(async (answer) => console.log(answer.status, (await answer.json()).message))`;
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'tight', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'restricted', namespace: 'tight' },
      spec: {
        securityContext: {
          runAsUser: 65532,
          runAsGroup: 65532,
          fsGroup: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        restartPolicy: 'Never',
        volumes: [{ name: 'tmp', emptyDir: {} }],
        containers: [
          {
            name: 'server',
            image: 'test/server',
            command: [
              'sh',
              '-c',
              `id -u; id -G; touch /no; touch /tmp/yes && echo wrote; grep CapBnd /proc/self/status; node -e "$0"`,
              list,
            ],
            env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' }],
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            securityContext: restricted,
          },
        ],
      },
    },
  ]);
  await cluster.until('end', () => cluster.pods.get('tight/restricted')?.status?.phase === 'Succeeded');

  const log = cluster.kubelet.logTail('tight', 'restricted', 'server');
  expect(log.split('\n')).toEqual([
    '65532',
    '65532',
    "touch: cannot touch '/no': Read-only file system",
    'wrote',
    'CapBnd:\t0000000000000000',
    expect.stringMatching(
      /^403 pods is forbidden: User "system:serviceaccount:tight:default" cannot list resource "pods"/,
    ),
  ]);
});

test('a user that must not be root and would be is refused as a kubelet refuses it', async () => {
  await cluster.apply(serverObjects('root', { container: { securityContext: { runAsNonRoot: true } } }));
  await cluster.until('reason', () =>
    cluster.pods.list().some(({ metadata, status }) => {
      const waiting = status?.containerStatuses?.[0]?.state?.waiting;
      return metadata?.labels?.app === 'root' && waiting?.message?.includes('runAsNonRoot');
    }),
  );
});
