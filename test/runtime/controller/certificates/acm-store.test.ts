import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acmStore } from '../../../../runtime/controller/certificates/acm-store';
import type { CertificateStore } from '../../../../runtime/controller/certificates/certificate-store';
import { authority, leaf } from './support/issuing';
import { type StandInAcm, startStandInAcm } from './support/stand-in-acm';

const TAGS = { CreatedBy: 'HyperPodInference', gateway: 'models/gw' };
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
  const arn = await store.import(first, { tags: TAGS });
  expect(arn).toMatch(/^arn:aws:acm:us-west-2:\d+:certificate\//);
  expect(await store.import(second, { arn })).toBe(arn);
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
  await expect(slow.delete('arn:aws:acm:us-west-2:1:certificate/1')).rejects.toMatchObject({ reason: 'Unreachable' });
  silent.close();
  silent.closeAllConnections();
});

test('whether a certificate has tags', async () => {
  const arn = await store.import(await material(), { tags: TAGS });
  expect(await store.hasTags(arn, TAGS)).toBe(true);
  expect(await store.hasTags(arn, { ...TAGS, gateway: 'models/other' })).toBe(false);
  expect(await store.hasTags(`${arn}x`, TAGS)).toBe(false);
});

test('it is found by its tags among others, on any page', async () => {
  await store.import(await material(), { tags: { ...TAGS, gateway: 'models/other' } });
  const arn = await store.import(await material(), { tags: { ...TAGS, more: 'x' } });
  expect(await store.find(TAGS)).toBe(arn);
  expect(await store.find({ gateway: 'models/none' })).toBeUndefined();
});

test('where one may not look, none is found', async () => {
  await store.import(await material(), { tags: TAGS });
  acm.denied.add('ListCertificates');
  expect(await store.find(TAGS)).toBeUndefined();
});

test('it is deleted, also where it is gone already', async () => {
  const arn = await store.import(await material(), { tags: TAGS });
  await store.delete(arn);
  await store.delete(arn);
  expect(acm.certificates.size).toBe(0);
});

test.each<[string, () => Promise<unknown>, object]>([
  [
    'InUse',
    async () => {
      const arn = await store.import(await material(), { tags: TAGS });
      acm.inUse.add(arn);
      return store.delete(arn);
    },
    { message: expect.stringMatching(/^ACM did not delete the certificate: .*in use/) },
  ],
  ['NotFound', async () => store.import(await material(), { arn: 'arn:aws:acm:us-west-2:1:certificate/none' }), {}],
  ['Invalid', async () => store.import({ ...(await material()), key: (await material()).key }, { tags: TAGS }), {}],
  [
    'Denied',
    async () => {
      acm.denied.add('ImportCertificate');
      return store.import(await material(), { tags: TAGS });
    },
    { message: expect.stringContaining('not authorized to perform: acm:ImportCertificate') },
  ],
  [
    'Unavailable',
    async () => {
      acm.failures.push({ status: 400, name: 'ThrottlingException' });
      return store.import(await material(), { tags: TAGS });
    },
    {},
  ],
  [
    'Unavailable',
    async () => {
      await acm.close();
      acm = await startStandInAcm();
      return store.import(await material(), { tags: TAGS });
    },
    {},
  ],
])('a refusal is told as %s', async (reason, attempt, more) => {
  await expect(attempt()).rejects.toMatchObject({ name: 'StoreFault', reason, ...more });
});
