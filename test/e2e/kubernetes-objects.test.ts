import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Resource } from '../../runtime/kubernetes/api-client';
import { resourceOf } from '../../runtime/kubernetes/resources';
import { connectProxy, requestMessages } from '../runtime/gie-picker/grpc-proxy';
import { FakeApiServer } from '../support/fake-api-server/fake-api-server';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';
import { freeAddresses } from './support/free-addresses';
import { type PodProcess, startPodProcess } from './support/pod-process';
import { chatBody, send } from './support/send';

const CONFIGS = resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig');
const PODS = resourceOf('v1', 'Pod');
const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');

let folder: string;
let kubeconfig: string;
let server: FakeApiServer;
let pods: PodProcess[];
const commands: RunningCommand[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-kubernetes-'));
  kubeconfig = join(folder, 'kubeconfig.yaml');
  server = await FakeApiServer.start();
  await writeFile(kubeconfig, kubeconfigOf(server.url));
  pods = [];
});
afterEach(async () => {
  await Promise.all([...commands.splice(0).map((command) => command.killAll()), ...pods.map((pod) => pod.kill())]);
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function kubeconfigOf(url: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url } }],
    users: [{ name: 'test', user: { token: 'test' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

interface Started {
  readonly command: RunningCommand;
  probe(path: string): Promise<{ readonly status: number; readonly text: string } | undefined>;
  logs(line: string): boolean;
}

async function start(kind: 'router' | 'picker', ...flags: string[]): Promise<Started> {
  const { hosts, port } = await freeAddresses(1);
  const metrics = `${hosts[0]}:${port}`;
  const command = startCommand([
    ...[kind, '--kubernetes', 'team/gw', '--kubeconfig', kubeconfig, '--metrics', metrics],
    ...flags,
  ]);
  commands.push(command);
  return {
    command,
    async probe(path) {
      const answer = await send(`http://${metrics}`, path).catch(() => undefined);
      return answer && { status: answer.status, text: answer.body.toString() };
    },
    logs: (line) => command.errorLines().some((one) => one.includes(line)),
  };
}

const isReady = async ({ probe }: Started) => (await probe('/readyz'))?.status === 200;
const ready = (started: Started, timeoutMs?: number) => until('it is ready', () => isReady(started), timeoutMs);
const socket = (name: string) => `unix:${join(folder, name)}`;

function put(resource: Resource, name: string, fields: object, labels?: Record<string, string>): void {
  server.cluster.put(resource, { ...fields, metadata: { name, namespace: 'team', ...(labels && { labels }) } });
}

/** Schedulers whose name is their model and the label `app` of their pods. */
function putConfig(
  port: number,
  ...schedulers: ReadonlyArray<{ readonly name: string; readonly [field: string]: unknown }>
) {
  put(CONFIGS, 'gw', {
    spec: {
      bbr: { enabled: true },
      schedulers: schedulers.map(({ name, ...fields }) => ({
        ...{ name, modelName: name, modelSelector: { matchLabels: { app: name } }, targetPort: port },
        ...fields,
      })),
    },
  });
}

function putPod(name: string, app: string, podIP: string, isReadyNow = true): void {
  const conditions = [{ type: 'Ready', status: isReadyNow ? 'True' : 'False' }];
  put(PODS, name, { status: { phase: 'Running', podIP, conditions } }, { app });
}

/** Where the router sends a request for the model, as Envoy asks it: a pod, or the status that it answers itself. */
async function ask(router: string, model: string): Promise<string> {
  const [host, port] = router.split(':');
  const proxy = connectProxy({ host: host!, port: Number(port) });
  try {
    const stream = proxy.open();
    const headers = { ':path': '/v1/chat/completions', 'content-type': 'application/json' };
    for (const message of requestMessages({ headers, body: [chatBody(model)] })) stream.send(message);
    await stream.next();
    const { immediateResponse, requestBody } = (await stream.next()) ?? {};
    stream.cancel();
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

/** A picker and a router of it, once both are ready, and where the router is asked. */
async function startBoth(...pickerFlags: string[]) {
  const { hosts, port } = await freeAddresses(1);
  const router = `${hosts[0]}:${port}`;
  const started = {
    picker: await start('picker', '--listen', socket('picker'), ...pickerFlags),
    router: await start('router', '--listen', router, '--picker', socket('picker')),
  };
  await Promise.all([ready(started.picker), ready(started.router)]);
  return { ...started, ask: (model: string) => ask(router, model) };
}

test('pods and schedulers come and go at the API server, and are picked and known within a second', async () => {
  const { hosts, port } = await freeAddresses(3);
  const at = (index: number) => `${hosts[index]}:${port}`;
  pods = await Promise.all([0, 1, 2].map((index) => startPodProcess(at(index), ['--model', index < 2 ? 'a' : 'b'])));
  putConfig(port, { name: 'a' });
  putPod('a-0', 'a', hosts[0]!);
  const both = await startBoth();
  expect(await both.ask('a')).toBe(at(0));
  expect(await both.ask('b')).toBe('404');

  putPod('a-1', 'a', hosts[1]!);
  putPod('a-0', 'a', hosts[0]!, false);
  await until('the pod that is ready is picked', async () => (await both.ask('a')) === at(1), 1_000);
  putPod('b-0', 'b', hosts[2]!);
  putConfig(port, { name: 'a' }, { name: 'b' });
  await until('the new scheduler picks', async () => (await both.ask('b')) === at(2), 1_000);
  putConfig(port, { name: 'a' });
  await until('it is gone', async () => (await both.ask('b')) === '404', 1_000);
  await until('its series too', async () => !(await both.picker.probe('/metrics'))!.text.includes('team/b'));
  // The router knows no pods, and hears from the picker whether there are any.
  const requests = server.requests.filter(({ path }) => path.includes('/pods'));
  expect(new Set(requests.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['inference-gateway-picker']));
}, 60_000);

test('a router whose pickers are in it takes pods itself', async () => {
  const { hosts, port } = await freeAddresses(2);
  pods = [await startPodProcess(`${hosts[0]}:${port}`, ['--model', 'a'])];
  putConfig(port, { name: 'a' });
  putPod('a-0', 'a', hosts[0]!);
  const router = `${hosts[1]}:${port}`;
  await ready(await start('router', '--listen', router));
  expect(await ask(router, 'a')).toBe(`${hosts[0]}:${port}`);
}, 60_000);

test('without the API server all goes on, a process starts with what the last one kept, and what changed counts when it is back', async () => {
  const { hosts, port } = await freeAddresses(2);
  pods = await Promise.all(hosts.map((host) => startPodProcess(`${host}:${port}`, ['--model', 'a'])));
  putConfig(port, { name: 'a' });
  putPod('a-0', 'a', hosts[0]!);
  const stateFile = ['--state-file', join(folder, 'state.json')];
  const both = await startBoth(...stateFile);
  // Written soon after it came into force.
  await new Promise((resolve) => setTimeout(resolve, 500));
  server.down();
  expect(await both.ask('a')).toBe(`${hosts[0]}:${port}`);
  both.picker.command.signal('SIGKILL');
  await both.picker.command.exited;
  expect(await both.ask('a')).toBe('balanced');

  const again = await start('picker', '--listen', socket('picker'), ...stateFile);
  await ready(again, 20_000);
  expect(again.logs('THE KUBERNETES API CANNOT BE REACHED')).toBe(true);
  expect((await again.probe('/metrics'))!.text).toContain('inference_gateway_objects_remembered 1');
  expect((await again.probe('/readyz'))!.text).toContain('of the last run');
  await until('it is picked', async () => (await both.ask('a')) === `${hosts[0]}:${port}`);

  server.cluster.delete(PODS, 'a-0', 'team');
  putPod('a-1', 'a', hosts[1]!);
  server.up();
  await until('what changed counts', async () => (await both.ask('a')) === `${hosts[1]}:${port}`, 35_000);
  const page = (await again.probe('/metrics'))!.text;
  expect(page).toContain('inference_gateway_objects_remembered 0');
  expect(Number(/^inference_gateway_objects_silence_seconds (\S+)/m.exec(page)![1])).toBeLessThan(60);
}, 90_000);

test('a process that starts while the config has faults goes on with that of the last run, and with the pods of now', async () => {
  const { hosts, port } = await freeAddresses(2);
  pods = await Promise.all(hosts.map((host) => startPodProcess(`${host}:${port}`, ['--model', 'a'])));
  putConfig(port, { name: 'a' });
  putPod('a-0', 'a', hosts[0]!);
  const stateFile = ['--state-file', join(folder, 'state.json')];
  const both = await startBoth(...stateFile);
  await until('it is kept', () => existsSync(stateFile[1]!));
  putConfig(port, { name: 'Upper' });
  both.picker.command.signal('SIGKILL');
  await both.picker.command.exited;
  server.cluster.delete(PODS, 'a-0', 'team');
  putPod('a-1', 'a', hosts[1]!);

  const again = await start('picker', '--listen', socket('picker'), ...stateFile);
  await ready(again);
  expect(again.logs('that of the last run goes on')).toBe(true);
  await until('it is picked', async () => (await both.ask('a')) === `${hosts[1]}:${port}`);
}, 60_000);

test('without a config a process is alive and says what it waits for; faults of others do not hold it back', async () => {
  const picker = await start('picker', '--listen', socket('picker'));
  await until('it says so', () => picker.logs('there is no such InferenceGatewayConfig'));
  expect([(await picker.probe('/healthz'))?.status, (await picker.probe('/readyz'))?.status]).toEqual([200, 503]);
  put(CONFIG_MAPS, 'adapters', { data: { adapters: '- x' } }, { 'inference.networking.k8s.io/bbr-managed': 'true' });
  putConfig(8000, { name: 'a', scheduler: 'epp', configMapRef: { name: 'file', key: 'a.yaml' } });
  await ready(picker);
  expect(picker.logs('configmaps/adapters data.baseModel')).toBe(true);
  expect(picker.logs('there is no ConfigMap file whose a.yaml can be used')).toBe(true);
  picker.command.signal('SIGTERM');
  expect(await picker.command.exited).toBe(0);
}, 60_000);

test('a process that waits for its objects ends in order', async () => {
  const picker = await start('picker', '--listen', socket('picker'));
  await until('it is alive', async () => (await picker.probe('/healthz'))?.status === 200);
  picker.command.signal('SIGTERM');
  expect(await picker.command.exited).toBe(0);
}, 60_000);

test.each([
  ['no objects', ['router'], 'name the objects: with -f FILE, or with --kubernetes NAMESPACE/NAME'],
  ['two sources of objects', ['picker', '-f', 'a', '--kubernetes', 'a/b'], '-f and --kubernetes both say where'],
  ['a gateway that is none', ['picker', '--kubernetes', 'gw'], "'--kubernetes <name>' argument 'gw' is invalid"],
  ['a kubeconfig for files', ['router', '-f', 'a', '--kubeconfig', 'b'], '--kubeconfig needs --kubernetes too'],
  ['a state file for files', ['picker', '-f', 'a', '--state-file', 'b'], '--state-file needs --kubernetes too'],
  ['a kubeconfig that is not there', ['router', '--kubernetes', 'a/b', '--kubeconfig', '/none'], '/none'],
  [
    'two kinds of pickers',
    ['router', '-f', 'a', '--picker', 'p:1', '--picker-service', '{name}:1'],
    'give one of them',
  ],
  [
    'a template without a name',
    ['router', '-f', 'a', '--picker-service', 'epp:1'],
    "'--picker-service <template>' argument",
  ],
  ['a CA without a certificate', ['router', '-f', 'a', '--serve-tls-ca', 'c'], '--serve-tls-ca needs --serve-tls-cert'],
  ['TLS of no server', ['picker', '-f', 'a', '--serve-tls-cert', 'c', '--serve-tls-key', 'k'], 'are of --ext-proc'],
])('%s: refused with 2 and what to do', async (_what, flags, message) => {
  const command = startCommand(flags, { KUBECONFIG: undefined });
  commands.push(command);
  expect(await command.exited).toBe(2);
  expect(command.errorLines().join('\n')).toContain(message);
});
