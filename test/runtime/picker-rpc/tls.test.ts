import { copyFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { followTlsFiles, type TlsFiles } from '../../../runtime/picker-rpc/tls-files';
import { until } from '../../support/until';
import { type Certificates, makeCertificates } from './support/certificates';
import { createRig, REQUEST, type Rig, resultOf } from './support/replicas';

let rig: Rig;
let own: Certificates;
let others: Certificates;
const followed: TlsFiles[] = [];
beforeEach(async () => {
  rig = await createRig();
  own = makeCertificates(rig.folder, 'own');
  others = makeCertificates(rig.folder, 'others');
});
afterEach(async () => {
  for (const one of followed.splice(0)) one.close();
  await rig.close();
});

const read = async (paths: Parameters<typeof followTlsFiles>[0], onChange = () => {}) => {
  const files = await followTlsFiles(paths, { log: rig.log, readEveryMs: 20, onChange });
  followed.push(files);
  return files;
};
const listen = { host: '127.0.0.1', port: 0 };

test('router and picker that show certificates of the same authority pick over TLS, by address and by name', async () => {
  const tls = (await read(own)).current();
  const replica = await rig.replica('a', { listen, tls });
  const router = await rig.router([replica], { tls: () => tls });
  expect((await resultOf(router.pick(REQUEST))).outcome).toBe('picked');

  const { port } = replica.server.address as { port: number };
  const named = rig.lonelyRouter({
    targets: [{ scheduler: undefined, address: { host: 'localhost', port } }],
    router: 'named',
    tls: () => tls,
    resolve: async () => ['127.0.0.1'],
  });
  await until('it is connected', () => named.connected() === 1);
});

test('a router that trusts another authority says so and sends nothing', async () => {
  const replica = await rig.replica('a', { listen, tls: (await read({ cert: own.cert, key: own.key })).current() });
  const tls = (await read({ ca: others.ca })).current();
  const router = rig.lonelyRouter({ targets: [replica.target], tls: () => tls });
  await until('it is logged', () => rig.logs.some((line) => line.includes('UNABLE_TO_VERIFY_LEAF_SIGNATURE')));
  expect(router.connected()).toBe(0);
});

test('a picker refuses a router without a certificate of its authority, and says so', async () => {
  const replica = await rig.replica('a', { listen, tls: (await read(own)).current() });
  const stranger = {
    ...(await read({ cert: others.cert, key: others.key })).current(),
    ca: (await read(own)).current().ca,
  };
  rig.lonelyRouter({ targets: [replica.target], tls: () => stranger });
  await until('it is logged', () => rig.logs.some((line) => line.includes('TLS could not be agreed on')));
  expect(replica.server.routers()).toBe(0);
});

test('a certificate of another name is refused', async () => {
  const tls = (await read(own)).current();
  const replica = await rig.replica('a', { listen, tls });
  const { port } = replica.server.address as { port: number };
  rig.lonelyRouter({
    targets: [{ scheduler: undefined, address: { host: 'pickers.test', port } }],
    tls: () => tls,
    resolve: async () => ['127.0.0.1'],
  });
  await until('it is logged', () => rig.logs.some((line) => line.includes('ERR_TLS_CERT_ALTNAME_INVALID')));
});

test('renewed files are used by connections from then on, and files that do not fit are not', async () => {
  const paths = { cert: join(rig.folder, 'cert.pem'), key: join(rig.folder, 'key.pem') };
  copyFileSync(own.cert, paths.cert);
  copyFileSync(own.key, paths.key);
  let changes = 0;
  const files = await read(paths, () => changes++);
  const first = String(files.current().cert);
  copyFileSync(others.cert, paths.cert);
  await until('the fault is told', () => rig.logs.some((line) => line.includes('certificates kept as they were')));
  expect([changes, String(files.current().cert)]).toEqual([0, first]);
  copyFileSync(others.key, paths.key);
  await until('the new ones are in use', () => changes === 1);
  expect(String(files.current().cert)).not.toBe(first);
});

test('a Secret that kubelet swaps for another is read as a whole', async () => {
  const mount = join(rig.folder, 'mount');
  const revision = (name: string, { cert, key }: Certificates) => {
    mkdirSync(join(mount, name), { recursive: true });
    copyFileSync(cert, join(mount, name, 'tls.crt'));
    copyFileSync(key, join(mount, name, 'tls.key'));
    symlinkSync(name, join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
  };
  revision('..1', own);
  for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(mount, file));
  let changes = 0;
  const files = await read({ cert: join(mount, 'tls.crt'), key: join(mount, 'tls.key') }, () => changes++);
  const first = String(files.current().cert);
  for (let swap = 2; swap < 12; swap++) {
    revision(`..${swap}`, swap % 2 === 0 ? others : own);
    await until('the other is in use', () => changes === swap - 1);
  }
  expect(String(files.current().cert)).toBe(first);
  expect(rig.logs.filter((line) => line.includes('certificates kept as they were'))).toEqual([]);
});

test('a file that cannot be read is an error with its flag and name', async () => {
  await expect(read({ ca: join(rig.folder, 'none.pem') })).rejects.toThrow(
    /^--tls-ca .*none\.pem cannot be read: ENOENT$/,
  );
});
