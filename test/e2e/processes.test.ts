import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { type Certificates, makeCertificates } from '../runtime/picker-rpc/support/certificates';
import { until } from '../support/until';
import { type RunningCommand, startCommand } from './support/command';
import { freeAddresses } from './support/free-addresses';
import { ONE_SCHEDULER } from './support/one-scheduler';
import { send } from './support/send';

let folder: string;
let file: string;
const commands: RunningCommand[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
  file = join(folder, 'gateway.yaml');
  await writeFile(file, ONE_SCHEDULER);
});
afterEach(async () => {
  await Promise.all(commands.splice(0).map((command) => command.killAll()));
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly command: RunningCommand;
  /** The status of a probe; undefined where nobody answers. */
  probe(path: string): Promise<number | undefined>;
  logs(line: string): boolean;
}

/** `inference-gateway KIND` with probes on a free address, following the gateway's file. */
async function start(kind: 'router' | 'picker', ...flags: string[]): Promise<Started> {
  const { hosts, port } = await freeAddresses(1);
  const metrics = `${hosts[0]}:${port}`;
  const command = startCommand([kind, '-f', file, '--metrics', metrics, ...flags]);
  commands.push(command);
  return {
    command,
    probe: async (path) => (await send(`http://${metrics}`, path).catch(() => undefined))?.status,
    logs: (line) => command.errorLines().some((one) => one.includes(line)),
  };
}

/** The answer to a gRPC health check: a frame with a HealthCheckResponse, whose status SERVING is 1. */
async function grpcHealth(address: string, tls?: SecureContextOptions): Promise<Buffer> {
  const session =
    tls === undefined
      ? connect(`http://${address}`)
      : connect(`https://${address}`, { ...tls, servername: 'localhost' });
  try {
    await once(session, 'connect');
    const request = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    request.end(Buffer.alloc(5));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    session.close();
  }
}

const ready = ({ probe }: Started) => until('it is ready', async () => (await probe('/readyz')) === 200);
const socket = (name: string) => `unix:${join(folder, name)}`;

test('a picker and a router find each other, and after SIGTERM are unready, end and leave nothing', async () => {
  const picker = await start('picker', '--listen', socket('picker'), '--name', 'picker-0');
  await ready(picker);
  const router = await start(
    'router',
    '--listen',
    socket('router'),
    '--picker',
    socket('picker'),
    '--drain-timeout',
    '2s',
  );
  await ready(router);
  expect(picker.logs('router connected') && router.logs('"replica":"picker-0"')).toBe(true);
  expect([await router.probe('/healthz'), await router.probe('/metrics')]).toEqual([200, 200]);

  router.command.signal('SIGTERM');
  await until('it is unready', async () => (await router.probe('/readyz')) === 503);
  expect(await router.command.exited).toBe(0);
  picker.command.signal('SIGTERM');
  expect(await picker.command.exited).toBe(0);
  expect([...(await router.command.family()), ...(await picker.command.family())]).toEqual([]);
}, 60_000);

test('a second signal ends a process that drains at once', async () => {
  const router = await start('router', '--listen', socket('router'), '--drain-timeout', '10m');
  await ready(router);
  router.command.signal('SIGTERM');
  await until('it is unready', async () => (await router.probe('/readyz')) === 503);
  router.command.signal('SIGTERM');
  expect(await router.command.exited).toBe(143);
}, 60_000);

test('a picker without a pod that answers is healthy and ready', async () => {
  const picker = await start('picker', '--listen', socket('picker'));
  await ready(picker);
  expect(await picker.probe('/healthz')).toBe(200);
});

test('a picker serves the protocol of the inference extension beside its own', async () => {
  const { hosts, port } = await freeAddresses(1);
  const address = `${hosts[0]}:${port}`;
  await ready(await start('picker', '--listen', socket('picker'), '--ext-proc', `default/a=${address}`));
  expect(await grpcHealth(address)).toEqual(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
});

test('Envoy and other gateways are served over TLS where it is asked for, with certificates that may be renewed', async () => {
  const [own, others] = ['own', 'others'].map((name) => makeCertificates(folder, name));
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const show = async ({ cert: from, key: keyFrom }: Certificates) => {
    await Promise.all([copyFile(from, cert), copyFile(keyFrom, key)]);
  };
  await show(own!);
  const tls = ['--serve-tls-cert', cert, '--serve-tls-key', key, '--serve-tls-ca', own!.ca];
  const { hosts, port } = await freeAddresses(2);
  const [router, picker] = hosts.map((host) => `${host}:${port}`);
  await ready(await start('router', '--listen', router!, ...tls));
  await ready(await start('picker', '--listen', socket('picker'), '--ext-proc', `default/a=${picker}`, ...tls));

  const client = { cert: await readFile(own!.cert), key: await readFile(own!.key) };
  const trusting = async (ca: string, shown: object = client) => ({ ca: await readFile(ca), ...shown });
  const serving = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
  for (const address of [router!, picker!]) {
    expect(await grpcHealth(address, await trusting(own!.ca))).toEqual(serving);
    const plain = grpcHealth(address).catch(() => 'cut');
    const stranger = trusting(own!.ca, {}).then((shown) => grpcHealth(address, shown).catch(() => 'cut'));
    for (const answer of await Promise.all([plain, stranger])) expect(answer).not.toEqual(serving);
  }
  await show(others!);
  for (const address of [router!, picker!]) {
    await until('the new certificate is shown', async () =>
      (await grpcHealth(address, await trusting(others!.ca)).catch(() => undefined))?.equals(serving),
    );
  }
}, 60_000);

test('a scheduler that the objects do not have is told of, with those that they have', async () => {
  const picker = await start('picker', '--listen', socket('picker'), '--scheduler', 'default/nope');
  await ready(picker);
  expect(
    picker.logs('--scheduler: the objects have no such scheduler') && picker.logs('"scheduler":"default/nope"'),
  ).toBe(true);
  const router = await start('router', '--listen', socket('router'), '--picker', `default/none=${socket('picker')}`);
  await until('it is told', () => router.logs('--picker: the objects have no such scheduler'));
});

test('edits of the objects come into force, and faults leave them as they are', async () => {
  const picker = await start('picker', '--listen', socket('picker'));
  await ready(picker);
  await writeFile(file, ONE_SCHEDULER.replace('name: test', 'name: renamed'));
  await until('the edit is in force', () => picker.logs('default/renamed'));
  await writeFile(file, 'no: object');
  await until('the fault is told', () => picker.logs('configuration kept as it was'));
  expect(await picker.probe('/readyz')).toBe(200);
});

test('a router that does not trust the picker says why, and is ready without it', async () => {
  const [own, others] = ['own', 'others'].map((name) => makeCertificates(folder, name));
  const { hosts, port } = await freeAddresses(1);
  const address = `${hosts[0]}:${port}`;
  const picker = await start('picker', '--listen', address, '--tls-cert', own!.cert, '--tls-key', own!.key);
  await ready(picker);
  const router = await start('router', '--listen', socket('router'), '--picker', address, '--tls-ca', others!.ca);
  await ready(router);
  expect(router.logs('UNABLE_TO_VERIFY_LEAF_SIGNATURE')).toBe(true);
}, 60_000);

test.each([
  ['an address that is none', ['router', '--listen', 'nowhere'], "'--listen <address>' argument 'nowhere' is invalid"],
  ['a picker that is none', ['router', '--picker', 'pickers'], "'--picker <address>' argument 'pickers' is invalid"],
  ['a scheduler that is none', ['picker', '--scheduler', 'llama'], "'--scheduler <name>' argument 'llama' is invalid"],
  ['a key without its certificate', ['picker', '--tls-key', 'key.pem'], '--tls-key needs --tls-cert too'],
  ['certificates without pickers', ['router', '--tls-ca', 'ca.pem'], 'name those with --picker'],
  ['a duration that is none', ['router', '--drain-timeout', 'long'], "'--drain-timeout <duration>' argument 'long'"],
  [
    'a certificate that is not there',
    ['picker', '--tls-cert', 'no.pem', '--tls-key', 'no.pem'],
    '--tls-cert no.pem cannot be read',
  ],
])('%s is refused with 2 and the name of the flag', async (_what, [kind, ...flags], message) => {
  const started = await start(kind as 'router' | 'picker', ...flags);
  expect(await started.command.exited).toBe(2);
  expect(started.logs(message)).toBe(true);
});

test('an address in use is refused with 2 and the name of the flag', async () => {
  const { hosts, port } = await freeAddresses(1);
  const listen = ['--listen', `${hosts[0]}:${port}`];
  await ready(await start('picker', ...listen));
  const second = await start('picker', ...listen);
  expect(await second.command.exited).toBe(2);
  expect(second.logs('--listen: the address is in use')).toBe(true);
});
