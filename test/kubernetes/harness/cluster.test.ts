import type { V1Pod } from '@kubernetes/client-node';
import { type Cluster, startCluster } from '../support/cluster';
import { SERVER_IMAGE, serverObjects } from './support/server';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ images: { 'test/server': SERVER_IMAGE, 'test/inert': { inert: true } }, nodes: 2 });
});
afterAll(() => cluster?.close());

const ask = async (url: string) => (await fetch(url)).text();
const deploy = async (name: string, options?: Parameters<typeof serverObjects>[1]) => {
  await cluster.apply(serverObjects(name, options));
  await cluster.rolledOut('default', name);
};
const podOf = (app: string): V1Pod =>
  cluster.pods
    .list()
    .find(({ metadata }) => metadata?.labels?.app === app && metadata.deletionTimestamp === undefined)!;
const readyEndpoints = (service: string) =>
  cluster.slices
    .list()
    .filter(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === service)
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;

test('a Deployment becomes ready and answers through its Service, by DNS name, from another pod', async () => {
  await Promise.all([deploy('a', { replicas: 2 }), deploy('b')]);

  const asked = new Set<string>();
  for (let i = 0; i < 4; i++) asked.add(await ask('http://b.default.svc.cluster.local/fetch?url=http://a/'));

  expect([...asked].every((name) => /^a-[a-z0-9]+-[a-z0-9]+$/.test(name))).toBe(true);
  expect(asked.size).toBe(2);
  expect(new Set(cluster.pods.list().map(({ spec }) => spec?.nodeName))).toEqual(new Set(['node-1', 'node-2']));
});

test('a headless Service stands for its ready pods, and a name that is not there for nothing', async () => {
  const [, service] = serverObjects('a') as [object, { metadata: object; spec: object }];
  await cluster.apply({
    ...service,
    metadata: { name: 'a-headless', namespace: 'default' },
    spec: { ...service.spec, clusterIP: 'None' },
  });
  await cluster.until('endpoints', () => readyEndpoints('a-headless') === 2);

  expect(await ask('http://a-headless:8080/')).toMatch(/^a-/);
  await expect(fetch('http://nowhere.default.svc.cluster.local/')).rejects.toMatchObject({
    cause: { code: 'ENOTFOUND' },
  });
});

test('an edit of a ConfigMap and of a Secret reaches the files', async () => {
  const objects = (text: string) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { key: text } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace: 'default' }, stringData: { key: text } },
  ];
  await cluster.apply(objects('one'));
  await deploy('files', {
    pod: {
      volumes: [
        { name: 'settings', configMap: { name: 'settings', items: [{ key: 'key', path: 'below/file' }] } },
        { name: 'secret', secret: { secretName: 'secret', defaultMode: 0o400 } },
      ],
    },
    container: {
      volumeMounts: [
        { name: 'settings', mountPath: '/var/run/settings' },
        { name: 'secret', mountPath: '/secret' },
      ],
    },
  });
  const read = () =>
    Promise.all(['/var/run/settings/below/file', '/secret/key'].map((path) => ask(`http://files/file?path=${path}`)));
  expect(await read()).toEqual(['one', 'one']);
  await cluster.apply(objects('two'));

  await cluster.until('new text', async () => (await read()).join() === 'two,two');
});

test('a pod that turns unready leaves the EndpointSlice, and comes back', async () => {
  await deploy('unready', { replicas: 2 });
  const { name } = podOf('unready').metadata!;
  await cluster.kubelet.exec('default', name!, 'server', ['touch', '/tmp/unready']);
  await cluster.until('one endpoint', () => readyEndpoints('unready') === 1);
  const answers = new Set(await Promise.all(Array.from({ length: 6 }, () => ask('http://unready/'))));
  await cluster.kubelet.exec('default', name!, 'server', ['rm', '/tmp/unready']);

  expect(answers.has(name!)).toBe(false);
  await cluster.until('two endpoints', () => readyEndpoints('unready') === 2);
});

test('a container that is killed starts again, in the same pod', async () => {
  await deploy('killed');
  const { name, uid } = podOf('killed').metadata!;
  cluster.kubelet.killContainer('default', name!, 'server', 'SIGKILL');
  const status = await cluster.until('restart', () => {
    const [server] = cluster.pods.get(`default/${name}`)?.status?.containerStatuses ?? [];
    return server?.restartCount === 1 && server.ready && server;
  });

  expect(status.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
  expect(podOf('killed').metadata?.uid).toBe(uid);
  expect(cluster.kubelet.logTail('default', name!, 'server')).toBe('listening\nlistening');
});

test('an ended liveness restarts a container after its preStop and its grace', async () => {
  await deploy('dying', {
    container: {
      livenessProbe: { exec: { command: ['test', '!', '-e', '/tmp/dead'] }, periodSeconds: 1, failureThreshold: 2 },
    },
  });
  const { name } = podOf('dying').metadata!;
  await cluster.kubelet.exec('default', name!, 'server', ['touch', '/tmp/dead']);
  await cluster.until('restart', () => {
    const [server] = cluster.pods.get(`default/${name}`)?.status?.containerStatuses ?? [];
    return server?.restartCount === 1 && server.ready;
  });

  expect(cluster.kubelet.logTail('default', name!, 'server')).toBe('listening\nending\nlistening');
});

test('init containers come first, and what they wrote to a shared folder is there', async () => {
  const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
  await deploy('init', {
    pod: {
      volumes: [{ name: 'shared', emptyDir: {} }],
      initContainers: ['a', 'b'].map((name) => ({
        name,
        image: 'test/server',
        command: ['sh', '-c', `echo ${name} >> /shared/file`],
        volumeMounts,
      })),
    },
    container: { volumeMounts },
  });

  expect(await ask('http://init/file?path=/shared/file')).toBe('a\nb\n');
});

test('what a kubelet does not support keeps the pod from starting, with an event that says so', async () => {
  await cluster.apply(serverObjects('strange', { pod: { volumes: [{ name: 'disk', hostPath: { path: '/' } }] } }));
  const message = await cluster.until('event', async () => {
    const events = await cluster.client.get<{ items: { reason: string; message: string }[] }>('/api/v1/events');
    return events.items.find(({ reason }) => reason === 'NotSupported')?.message;
  });

  expect(message).toContain('spec.volumes[0].hostPath');
  expect(podOf('strange').status?.phase).toBe('Pending');
});

test('a wait that is over shows state, events and logs of the pods that are not ready', async () => {
  await cluster.apply(serverObjects('broken', { container: { command: ['sh', '-c', 'echo because; exit 3'] } }));
  const waiting = cluster.until('broken runs', () => false, { timeout: 3_000 });

  await expect(waiting).rejects.toThrow(/broken runs: not within 3 s[\s\S]*Pod default\/broken-[\s\S]*because/);
});

test('kubectl shows the log of a container', async () => {
  const { name } = podOf('b').metadata!;

  expect(await cluster.kubectl(['logs', name!, '--tail=5'])).toBe('listening\n');
});

test('many pods of an inert image are ready at once, have addresses, and go', async () => {
  await deploy('inert', { replicas: 60, container: { image: 'test/inert' } });
  await cluster.until('endpoints', () => readyEndpoints('inert') === 60);
  await cluster.kubectl(['delete', 'deployment', 'inert']);

  await cluster.until('no pods', () => podOf('inert') === undefined);
});

test('a Job runs to its end', async () => {
  await cluster.apply({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once', namespace: 'default' },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'once', image: 'test/server', command: ['true'] }],
        },
      },
    },
  });

  await cluster.kubectl(['wait', 'job/once', '--for=condition=Complete', '--timeout=20s']);
});
