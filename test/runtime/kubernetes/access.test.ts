import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buildSync } from 'esbuild';
import type { OpenOptions, Step } from './support/open-access';

/** As the command is: the library is loaded from a bundle. */
const built = mkdtempSync(join(tmpdir(), 'open-access-'));
const SCRIPT = join(built, 'open-access.js');

let folder: string;
let process_: ChildProcessByStdio<Writable, Readable, null> | undefined;
let lines: AsyncIterator<string>;

beforeAll(() => {
  buildSync({
    entryPoints: [join(__dirname, 'support/open-access.ts')],
    outfile: SCRIPT,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  });
});

afterAll(() => {
  rmSync(built, { recursive: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-'));
});

afterEach(() => {
  process_?.stdin.end();
  process_?.kill();
  rmSync(folder, { recursive: true });
});

type Answer = Record<string, unknown>;

/** Opens it in a process of its own; resolves with what it found. */
async function open(options: OpenOptions, environment: NodeJS.ProcessEnv = {}): Promise<Answer> {
  const { KUBECONFIG: _1, KUBERNETES_SERVICE_HOST: _2, ...rest } = process.env;
  process_ = spawn(process.execPath, [SCRIPT, JSON.stringify(options)], {
    env: { ...rest, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  lines = createInterface(process_.stdout)[Symbol.asyncIterator]();
  return answer();
}

async function answer(): Promise<Answer> {
  const { value } = await lines.next();
  return JSON.parse(value as string) as Answer;
}

/** Credentials, after so many milliseconds. */
function credentials(after: number, refused = false): Promise<Answer> {
  const step: Step = { after, refused };
  process_!.stdin.write(`${JSON.stringify(step)}\n`);
  return answer();
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function kubeconfig(user: unknown, cluster: object = {}): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'team' } }],
    clusters: [{ name: 'test', cluster: { server: 'https://cluster.example:6443/', ...cluster } }],
    users: [{ name: 'test', user }],
  };
  return write('config', JSON.stringify(config));
}

test('a kubeconfig with a token, an authority and a server name', async () => {
  const data = Buffer.from('the authority').toString('base64');
  const path = kubeconfig(
    { token: 'secret' },
    {
      'certificate-authority-data': data,
      'tls-server-name': 'other.example',
      'proxy-url': 'http://proxy.example:3128',
    },
  );

  expect(await open({ kubeconfig: path })).toEqual({ server: 'https://cluster.example:6443', namespace: 'team' });
  expect(await credentials(0)).toEqual({
    headers: { authorization: 'Bearer secret' },
    tls: { ca: 'the authority', servername: 'other.example' },
    proxy: 'http://proxy.example:3128',
    isSameConnection: true,
    warnings: [],
  });
});

test('KUBECONFIG names it too, a server without TLS is allowed, and a name with a password', async () => {
  const path = kubeconfig({ username: 'me', password: 'secret' }, { server: 'http://127.0.0.1:8001' });

  expect(await open({}, { KUBECONFIG: path })).toEqual({ server: 'http://127.0.0.1:8001', namespace: 'team' });
  const { headers } = await credentials(0);
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from('me:secret').toString('base64')}` });
});

test('in a pod the token is read again at least each 30 s, and the authority', async () => {
  const secrets = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
  mkdirSync(secrets, { recursive: true });
  writeFileSync(join(secrets, 'token'), 'first\n');
  writeFileSync(join(secrets, 'ca.crt'), 'authority 1');
  writeFileSync(join(secrets, 'namespace'), 'system');
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  expect(await open({ root: folder }, environment)).toEqual({ server: 'https://[fd00::1]:443', namespace: 'system' });
  writeFileSync(join(secrets, 'token'), 'second\n');
  expect(await credentials(29_000)).toMatchObject({ headers: { authorization: 'Bearer first' } });
  expect(await credentials(1_000)).toMatchObject({
    headers: { authorization: 'Bearer second' },
    tls: { ca: 'authority 1' },
    isSameConnection: true,
  });

  writeFileSync(join(secrets, 'ca.crt'), 'authority 2');
  expect(await credentials(30_000)).toMatchObject({ tls: { ca: 'authority 2' }, isSameConnection: false });

  rmSync(join(secrets, 'token'));
  const { headers, warnings } = await credentials(30_000);
  expect(headers).toEqual({ authorization: 'Bearer second' });
  expect(warnings).toEqual([expect.stringMatching(/^access to the cluster kept as it was: .*token/)]);
  writeFileSync(join(secrets, 'token'), 'third');
  expect(await credentials(5_000)).toMatchObject({ headers: { authorization: 'Bearer third' } });
});

test('client certificates are read again from their files', async () => {
  const [cert, key] = [write('cert.pem', 'certificate 1'), write('key.pem', 'key 1')];
  await open({ kubeconfig: kubeconfig({ 'client-certificate': cert, 'client-key': key }) });
  write('cert.pem', 'certificate 2');
  write('key.pem', 'key 2');

  expect(await credentials(30_000)).toMatchObject({
    headers: {},
    tls: { cert: 'certificate 2', key: 'key 2' },
    isSameConnection: false,
  });
});

test('a plugin is executed when what it gave ends, or is refused, and not more often', async () => {
  const plugin = write(
    'plugin.cjs',
    `const { appendFileSync, readFileSync } = require('node:fs');
     appendFileSync(${JSON.stringify(join(folder, 'runs'))}, 'x');
     const token = 'run ' + readFileSync(${JSON.stringify(join(folder, 'runs'))}).length;
     const expirationTimestamp = '2100-01-01T00:00:00Z';
     console.log(JSON.stringify({ kind: 'ExecCredential', status: { token, expirationTimestamp } }));`,
  );
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [plugin] };
  await open({ kubeconfig: kubeconfig({ exec }) });

  expect(await credentials(0)).toMatchObject({ headers: { authorization: 'Bearer run 1' } });
  expect(await credentials(600_000)).toMatchObject({ headers: { authorization: 'Bearer run 1' } });
  expect(await credentials(1_000, true)).toMatchObject({ headers: { authorization: 'Bearer run 1' } });
  expect(await credentials(5_000, true)).toMatchObject({ headers: { authorization: 'Bearer run 2' } });
  expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('xx');
});

test('a plugin that hangs is given up after a minute', async () => {
  const plugin = write('plugin.cjs', 'setTimeout(() => {}, 5_000);');
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [plugin] };

  expect(await open({ kubeconfig: kubeconfig({ exec }), passMs: 60_000 })).toEqual({
    error: 'credentials were not given within 60 s',
  });
});

test('while a plugin hangs, requests go on with what it gave before', async () => {
  const plugin = write(
    'plugin.cjs',
    `const { appendFileSync, readFileSync } = require('node:fs');
     appendFileSync(${JSON.stringify(join(folder, 'runs'))}, 'x');
     const isFirst = readFileSync(${JSON.stringify(join(folder, 'runs'))}).length === 1;
     const status = { token: 'first', expirationTimestamp: '2020-01-01T00:00:00Z' };
     if (isFirst) console.log(JSON.stringify({ kind: 'ExecCredential', status }));
     else setTimeout(() => {}, 5_000);`,
  );
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [plugin] };
  await open({ kubeconfig: kubeconfig({ exec }), passMs: 500 });

  for (let time = 0; time < 3; time++) {
    expect(await credentials(30_000)).toMatchObject({ headers: { authorization: 'Bearer first' } });
  }
  expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('xx');
});

test('another server in the file is not followed: its credentials are not for the first', async () => {
  const path = kubeconfig({ token: 'first' });
  await open({ kubeconfig: path });
  kubeconfig({ token: 'second' }, { server: 'https://elsewhere.example' });

  expect(await credentials(30_000)).toMatchObject({
    headers: { authorization: 'Bearer first' },
    warnings: [
      'access to the cluster kept as it was: the kubeconfig names another server than https://cluster.example:6443',
    ],
  });
});

test.each([
  ['nothing', {}, 'no cluster is named: set KUBECONFIG, or run in a pod that has a service account token'],
  [
    'a file that is not there',
    { kubeconfig: '/nowhere/config' },
    /^kubeconfig \/nowhere\/config cannot be used: ENOENT/,
  ],
])('%s: an error that says so', async (_what, options, message) => {
  const { error } = await open(options);

  expect(error).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

test('a file without a context: an error that says so', async () => {
  expect(await open({ kubeconfig: write('config', 'kind: Config\nclusters: []\n') })).toEqual({
    error: 'the kubeconfig has no current context with a cluster: set current-context',
  });
});
