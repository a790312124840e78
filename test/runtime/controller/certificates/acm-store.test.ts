import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acmStore } from '../../../../runtime/controller/certificates/acm-store';
import type { CertificateStore } from '../../../../runtime/controller/certificates/certificate-store';
import { authority, leaf } from './support/issuing';
import { type StandInAcm, startStandInAcm } from './support/stand-in-acm';

const TAGS = { CreatedBy: 'HyperPodInference', gateway: 'models/gw' };
const { signal } = new AbortController();
const environment = { ...process.env };
let acm: StandInAcm;
let store: CertificateStore;

beforeEach(async () => {
  acm = await startStandInAcm();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_ACM: acm.url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    // What fails is seen at once.
    AWS_MAX_ATTEMPTS: '1',
  });
  store = acmStore('us-west-2');
});
afterEach(async () => {
  await acm.close();
  process.env = { ...environment };
});

async function material() {
  const by = await authority();
  return { ...(await leaf(by, { usages: ['server'] })), chain: by.certificate };
}

test('a certificate is imported with its tags, and replaced under the same name', async () => {
  const [first, second] = [await material(), await material()];
  const arn = await store.import(first, { tags: TAGS }, signal);
  expect(arn).toMatch(/^arn:aws:acm:us-west-2:\d+:certificate\//);
  expect(await store.import(second, { arn }, signal)).toBe(arn);
  expect([...acm.certificates.values()]).toEqual([
    {
      ...second,
      type: 'IMPORTED',
      tags: [
        { Key: 'CreatedBy', Value: 'HyperPodInference' },
        { Key: 'gateway', Value: 'models/gw' },
      ],
    },
  ]);
});

test('one that accepts and says nothing is given up, and not asked again at once', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  process.env.AWS_ENDPOINT_URL_ACM = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const slow = acmStore('us-west-2', { connectionTimeout: 100, requestTimeout: 100 });
  await expect(slow.delete('arn:aws:acm:us-west-2:1:certificate/1', signal)).rejects.toMatchObject({
    reason: 'Unreachable',
  });
  silent.close();
  silent.closeAllConnections();
});

test('whether a certificate has tags', async () => {
  const arn = await store.import(await material(), { tags: TAGS }, signal);
  expect(await store.hasTags(arn, TAGS, signal)).toBe(true);
  expect(await store.hasTags(arn, { ...TAGS, gateway: 'models/other' }, signal)).toBe(false);
  expect(await store.hasTags(`${arn}x`, TAGS, signal)).toBe(false);
});

test('it is found by its tags among others, on any page', async () => {
  await store.import(await material(), { tags: { ...TAGS, gateway: 'models/other' } }, signal);
  const arn = await store.import(await material(), { tags: { ...TAGS, more: 'x' } }, signal);
  expect(await store.find(TAGS, signal)).toBe(arn);
  expect(await store.find({ gateway: 'models/none' }, signal)).toBeUndefined();
});

test('one that is deleted while it looks is passed over', async () => {
  const gone = await store.import(await material(), { tags: { ...TAGS, gateway: 'models/other' } }, signal);
  const arn = await store.import(await material(), { tags: TAGS }, signal);
  acm.goneSinceListed.add(gone);
  expect(await store.find(TAGS, signal)).toBe(arn);
});

test('where one may not look, that is said', async () => {
  await store.import(await material(), { tags: TAGS }, signal);
  acm.denied.add('ListCertificates');
  await expect(store.find(TAGS, signal)).rejects.toMatchObject({
    reason: 'Denied',
    message: expect.stringContaining('acm:ListCertificates'),
  });
});

describe('a request that is given up', () => {
  const ARN = 'arn:aws:acm:us-west-2:1:certificate/1';
  const FOR_EVER = { connectionTimeout: 600_000, requestTimeout: 600_000 };
  const requests: [string, (given: AbortSignal) => Promise<unknown>][] = [
    ['import', async (given) => store.import(await material(), { tags: TAGS }, given)],
    ['find', (given) => store.find(TAGS, given)],
    ['hasTags', (given) => store.hasTags(ARN, TAGS, given)],
    ['delete', (given) => store.delete(ARN, given)],
  ];

  test.each(requests)('%s ends at once, and the connection with it', async (_name, request) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    process.env.AWS_ENDPOINT_URL_ACM = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    store = acmStore('us-west-2', FOR_EVER);
    const end = new AbortController();
    const asked = once(silent, 'request') as Promise<[IncomingMessage]>;
    const answer = expect(request(end.signal)).rejects.toThrow('the term is over');
    const [{ socket }] = await asked;
    const closed = once(socket, 'close');
    end.abort(new Error('the term is over'));
    await Promise.all([answer, closed]);
    silent.close();
  });

  test('also while there are no credentials yet', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    delete process.env.AWS_ACCESS_KEY_ID;
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${port}`;
    store = acmStore('us-west-2');
    const end = new AbortController();
    const asked = once(silent, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const answer = expect(store.find(TAGS, end.signal)).rejects.toThrow('the term is over');
    const [{ socket }, response] = await asked;
    end.abort(new Error('the term is over'));
    await answer;
    expect(socket.destroyed).toBe(false);
    response.setHeader('connection', 'close').end(JSON.stringify({ AccessKeyId: 'late', SecretAccessKey: 'late' }));
    silent.close();
  });

  test.each(requests)('%s is not even begun then', async (_name, request) => {
    await expect(request(AbortSignal.abort(new Error('the term is over')))).rejects.toThrow('the term is over');
    expect(acm.calls).toEqual([]);
  });
});

test('it is deleted, also where it is gone already', async () => {
  const arn = await store.import(await material(), { tags: TAGS }, signal);
  await store.delete(arn, signal);
  await store.delete(arn, signal);
  expect(acm.certificates.size).toBe(0);
});

test.each<[string, () => Promise<unknown>, object]>([
  [
    'InUse',
    async () => {
      const arn = await store.import(await material(), { tags: TAGS }, signal);
      acm.inUse.add(arn);
      return store.delete(arn, signal);
    },
    { message: expect.stringMatching(/^ACM did not delete the certificate: .*in use/) },
  ],
  [
    'NotFound',
    async () => store.import(await material(), { arn: 'arn:aws:acm:us-west-2:1:certificate/none' }, signal),
    {},
  ],
  [
    'Invalid',
    async () => store.import({ ...(await material()), key: (await material()).key }, { tags: TAGS }, signal),
    {},
  ],
  [
    'Denied',
    async () => {
      acm.denied.add('ImportCertificate');
      return store.import(await material(), { tags: TAGS }, signal);
    },
    { message: expect.stringContaining('not authorized to perform: acm:ImportCertificate') },
  ],
  [
    'Unavailable',
    async () => {
      acm.failures.push({ status: 400, name: 'ThrottlingException' });
      return store.import(await material(), { tags: TAGS }, signal);
    },
    {},
  ],
  [
    'Unavailable',
    async () => {
      await acm.close();
      acm = await startStandInAcm();
      return store.import(await material(), { tags: TAGS }, signal);
    },
    {},
  ],
])('a refusal is told as %s', async (reason, attempt, more) => {
  await expect(attempt()).rejects.toMatchObject({ name: 'StoreFault', reason, ...more });
});
