import { type ChartObject, chartObjects } from './objects';
import { renderedExamples } from './rendered-examples';

/* Which pods have a token of the API server. The Envoys' pods are Envoy Gateway's: it gives them none. */

let objects: readonly ChartObject[];
beforeAll(async () => {
  objects = [...chartObjects(), ...(await renderedExamples())];
});

/** Everything that has a pod template. */
const workloads = () => objects.filter(({ spec }) => spec?.template?.spec?.containers !== undefined);

test('the controller, Envoy Gateway, routers and pickers ask for one, and nobody else', () => {
  const parts = workloads().map(({ spec }) => spec.template.spec.containers[0].name as string);
  expect([...new Set(parts)].sort()).toEqual(['controller', 'envoy-gateway', 'picker', 'router']);
  for (const { spec } of workloads()) expect(spec.template.spec.automountServiceAccountToken).toBe(true);
});

test('no account gives one to a pod that does not ask', () => {
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  expect(accounts.length).toBeGreaterThan(3);
  for (const account of accounts) expect(account).toMatchObject({ automountServiceAccountToken: false });
});

test('no one is mounted in another way, neither here nor in the Envoys', () => {
  const proxies = objects.filter(({ kind }) => kind === 'EnvoyProxy');
  expect(proxies.length).toBeGreaterThan(0);
  for (const object of [...workloads(), ...proxies]) expect(JSON.stringify(object)).not.toMatch(/serviceAccountToken/);
  for (const proxy of proxies) expect(JSON.stringify(proxy)).not.toMatch(/automount/i);
});
