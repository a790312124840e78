import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createCertificateKeeper } from '../../../runtime/controller/certificate-keeper';
import type { EnsuredCertificates } from '../../../runtime/controller/gateway-certificates';

const { signal } = new AbortController();
const configOf = (generation = 1) => ({ metadata: { name: 'gw', namespace: 'team', uid: 'u', generation } }) as never;
const secret = (resourceVersion: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'gw-bbr-cert', resourceVersion },
});

function start(result: EnsuredCertificates = { problems: [] }) {
  const state = { now: 0, looks: 0, owned: [secret('1')], result };
  const keeper = createCertificateKeeper(
    {
      ensure: async () => {
        state.looks += 1;
        return state.result;
      },
    },
    { owned: () => state.owned },
    { now: () => state.now },
  );
  return { state, ensure: (generation?: number) => keeper.ensure('team/gw', configOf(generation), signal), keeper };
}

test('looks once while nothing that it follows from changes', async () => {
  const { state, ensure } = start();

  await ensure();
  state.now = 60_000;

  expect(await ensure()).toEqual({ problems: [], dueIn: 240_000 });
  expect(state.looks).toBe(1);
});

test('looks again when the config or a Secret has changed, and when somebody is forgotten', async () => {
  const { state, ensure, keeper } = start();
  await ensure();

  await ensure(2);
  state.owned = [secret('2')];
  await ensure(2);
  state.owned = [];
  await ensure(2);
  keeper.forget('team/gw');
  await ensure(2);

  expect(state.looks).toBe(5);
});

test('looks again in time: when a certificate is due, after 5 minutes, and after 30 s where something is wrong', async () => {
  const { state, ensure } = start({ problems: [], dueIn: 10_000 });
  expect(await ensure()).toMatchObject({ dueIn: 10_000 });
  state.now = 10_000;
  state.result = { problems: [], dueIn: 86_400_000 };
  expect(await ensure()).toMatchObject({ dueIn: 300_000 });

  state.now = 310_000;
  state.result = { problems: [{ reason: 'SecretTaken', message: 'it is', blocks: false }] };
  expect(await ensure()).toMatchObject({ dueIn: 30_000 });
  expect(state.looks).toBe(3);
});

test('what failed is tried again at once', async () => {
  let looks = 0;
  const keeper = createCertificateKeeper(
    {
      ensure: async () => {
        looks += 1;
        throw new Error('no');
      },
    },
    { owned: () => [] },
    { now: () => 0 },
  );

  await expect(keeper.ensure('team/gw', configOf(), signal)).rejects.toThrow('no');
  await expect(keeper.ensure('team/gw', configOf(), signal)).rejects.toThrow('no');
  expect(looks).toBe(2);
});
