import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { authorityIn, secretData } from '../../../../runtime/controller/certificates/authority-secret';
import {
  certificateFacts,
  certificatesIn,
  isIssuedBy,
} from '../../../../runtime/controller/certificates/certificate-facts';
import { reconcileTrust } from '../../../../runtime/controller/certificates/reconcile-trust';
import { MemoryApi } from '../support/memory-api';
import { AUTHORITY, DOMAIN, deleteSecret, GRACE, heldIn, LEAVES, putSecret, secret, secretOf } from './support/domain';
import { authority, DAY, leaf, NOW, serial } from './support/issuing';

const CLIENT_AND_SERVER = LEAVES[1];
let api: MemoryApi;
beforeEach(() => {
  api = new MemoryApi();
});

const reconcile = (now = NOW, changes: object = {}) =>
  reconcileTrust(api, DOMAIN, { now, graceMs: GRACE, serial, signal: new AbortController().signal, ...changes });
const state = () => authorityIn(secretOf(api, AUTHORITY)!)!;
const issuers = () =>
  LEAVES.map((name) => {
    const held = certificateFacts(heldIn(api, name).certificate)!;
    const trusted = certificatesIn(heldIn(api, name).trusted);
    return trusted.findIndex((pem) => isIssuedBy(held, certificateFacts(pem)!));
  });

test('at first everything is made: one authority, and certificates of it that trust it', async () => {
  const { problems, dueAt } = await reconcile();
  expect(problems).toEqual([]);
  // A certificate is valid from an hour before.
  expect(dueAt).toBe(NOW - 3_600_000 + ((9 * DAY + 3_600_000) * 2) / 3);
  for (const name of LEAVES) {
    expect(heldIn(api, name).trusted).toBe(state().signer.certificate);
    expect(secretOf(api, name)).toMatchObject({ type: 'kubernetes.io/tls', metadata: secret(name).metadata });
  }
  expect(issuers()).toEqual([0, 0, 0]);
  const router = certificateFacts(heldIn(api, CLIENT_AND_SERVER).certificate)!;
  expect(router).toMatchObject({ dnsNames: ['gw-bbr.system.svc'], isClient: true, isServer: true });
});

test('a second time nothing is written', async () => {
  await reconcile();
  api.writes.length = 0;
  await reconcile(NOW + DAY);
  expect(api.writes).toEqual([]);
});

test('when two thirds of their life are over leaves are issued anew by the same authority', async () => {
  await reconcile();
  const before = LEAVES.map((name) => heldIn(api, name).certificate);
  const signer = state().signer.certificate;
  await reconcile(NOW + 6 * DAY + 1);
  expect(LEAVES.filter((name, index) => heldIn(api, name).certificate === before[index])).toEqual([]);
  expect(state().signer.certificate).toBe(signer);
});

test('an authority is trusted everywhere before it signs, and until nothing of it is in use', async () => {
  await reconcile();
  const old = state().signer.certificate;
  let now = NOW + 41 * DAY;

  await reconcile(now);
  const next = state().next!.certificate;
  expect(LEAVES.map((name) => heldIn(api, name).trusted)).toEqual(LEAVES.map(() => old + next));
  expect(issuers()).toEqual([0, 0, 0]);
  expect((await reconcile(now)).dueAt).toBe(now + GRACE);
  await reconcile(now + GRACE - 1);
  expect(issuers()).toEqual([0, 0, 0]);

  now += GRACE;
  await reconcile(now);
  expect(LEAVES.map((name) => heldIn(api, name).trusted)).toEqual(LEAVES.map(() => next + old));
  expect(issuers()).toEqual([0, 0, 0]);
  await reconcile(now + GRACE - 1);
  expect(state().former).toEqual([old]);

  await reconcile(now + GRACE);
  expect(state()).toEqual({ signer: expect.objectContaining({ certificate: next }), former: [] });
  expect(LEAVES.map((name) => heldIn(api, name).trusted)).toEqual(LEAVES.map(() => next));
});

test('while a holder has not been told of a change, the time that holders have begins anew', async () => {
  await reconcile();
  const now = NOW + 41 * DAY;
  await reconcile(now);
  const present = secretOf(api, CLIENT_AND_SERVER)!;
  const data = { ...(present.data as object), ...secretData({ 'ca.crt': state().signer.certificate }) };
  putSecret(api, { ...present, data });
  await reconcile(now + GRACE);
  expect(state().next).toBeDefined();
  expect(state().settledAt).toBe(now + GRACE);
});

test('an authority that has ended is replaced without waiting', async () => {
  await reconcile();
  await reconcile(NOW + 500 * DAY);
  expect(state().former).toHaveLength(1);
  expect(certificateFacts(state().signer.certificate)!.notAfter).toBeGreaterThan(NOW + 500 * DAY);
  expect(issuers()).toEqual([0, 0, 0]);
});

describe('an authority that was lost', () => {
  test.each<[string, () => void]>([
    ['as a whole', () => deleteSecret(api, AUTHORITY)],
    [
      'with its key',
      () =>
        putSecret(api, { ...secretOf(api, AUTHORITY)!, data: secretData({ 'tls.crt': state().signer.certificate }) }),
    ],
  ])('%s: what it has issued is used until all trust the new one', async (_, lose) => {
    await reconcile();
    const old = state().signer.certificate;
    const before = LEAVES.map((name) => heldIn(api, name).certificate);
    lose();

    await reconcile(NOW + DAY);
    expect(LEAVES.map((name) => heldIn(api, name).certificate)).toEqual(before);
    expect(LEAVES.map((name) => heldIn(api, name).trusted)).toEqual(LEAVES.map(() => old + state().next!.certificate));

    await reconcile(NOW + DAY + GRACE);
    expect(state().signer.certificate).not.toBe(old);
    expect(issuers()).toEqual([0, 0, 0]);
    await reconcile(NOW + DAY + 2 * GRACE);
    expect(LEAVES.map((name) => heldIn(api, name).trusted)).toEqual(LEAVES.map(() => state().signer.certificate));
  });

  test.each([
    ['before the next one signs', 0],
    ['while the former one is still trusted', GRACE],
  ])('%s: nobody who was trusted is forgotten until all is of the new one', async (_, after) => {
    await reconcile();
    const now = NOW + 41 * DAY;
    await reconcile(now);
    await reconcile(now + after);
    const before = certificatesIn(heldIn(api, LEAVES[0]).trusted);
    expect(before).toHaveLength(2);
    deleteSecret(api, AUTHORITY);

    await reconcile(now + after);
    const trusted = () => certificatesIn(heldIn(api, LEAVES[0]).trusted);
    expect(trusted()).toEqual(expect.arrayContaining(before));
    await reconcile(now + after + GRACE);
    expect(trusted()).toEqual(expect.arrayContaining(before));
    await reconcile(now + after + 2 * GRACE);
    expect(trusted()).toEqual([state().signer.certificate]);
  });

  test('a holder that is new meanwhile gets one of the new authority', async () => {
    await reconcile();
    deleteSecret(api, AUTHORITY);
    deleteSecret(api, LEAVES[2]);
    await reconcile(NOW + DAY);
    expect(issuers()).toEqual([0, 0, 1]);
  });
});

describe("what is somebody else's", () => {
  const foreign = (name: string, data: Readonly<Record<string, string>>): KubernetesObject => ({
    ...secret(name),
    metadata: { name, namespace: 'system', labels: { owner: 'somebody' } },
    data,
  });

  test('is left alone, and not even told of while its certificate is valid', async () => {
    const theirs = await leaf(await authority(), { usages: ['client'], dnsNames: [] });
    const data = secretData({ 'tls.crt': theirs.certificate, 'tls.key': theirs.key });
    putSecret(api, foreign(LEAVES[0], data));
    expect((await reconcile()).problems).toEqual([]);
    expect(secretOf(api, LEAVES[0])!.data).toEqual(data);
    const { problems } = await reconcile(NOW + 90 * DAY);
    expect(problems).toEqual([
      expect.objectContaining({ reason: 'SecretTaken', message: expect.stringContaining('system/gw-envoy-cert') }),
    ]);
    expect(secretOf(api, LEAVES[0])!.data).toEqual(data);
  });

  test('is taken over where that is allowed', async () => {
    putSecret(api, foreign(LEAVES[0], secretData({ 'tls.crt': 'nonsense' })));
    expect((await reconcile(NOW, { mayAdopt: async () => true })).problems).toEqual([]);
    expect(issuers()).toEqual([0, 0, 0]);
    expect(secretOf(api, LEAVES[0])!.metadata.labels).toMatchObject(secret(LEAVES[0]).metadata.labels!);
  });

  test('and keeps the authority from being kept: nothing is made', async () => {
    putSecret(api, foreign(AUTHORITY, {}));
    const { problems } = await reconcile();
    expect(problems).toEqual([
      expect.objectContaining({
        reason: 'SecretTaken',
        message: expect.stringContaining('system/gw-internal-authority'),
      }),
    ]);
    expect(api.writes).toEqual([]);
  });
});
