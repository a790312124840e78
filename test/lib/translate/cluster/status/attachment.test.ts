import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { attachmentsOf, judgeOf } from '../../../../../lib/translate/cluster/status/attachment';
import { config, type Fields, find, INSTALLATION, scheduler, translate } from '../support';

const CONFIG = config([scheduler('llama', { retry: { attempts: 0 } })]);
const JUDGE = judgeOf(CONFIG as unknown as KubernetesObject, INSTALLATION);
const { objects } = translate(CONFIG);
const policy = find({ objects }, 'ClientTrafficPolicy', 'gateway');
const route = find({ objects }, 'HTTPRoute', 'llama');

const condition = (type: string, status: string, observedGeneration: number, more: Fields = {}) => ({
  ...{ type, status, observedGeneration, reason: type, message: `${type} ${status}` },
  ...more,
});
const place = (conditions: readonly unknown[], more: Fields = {}) => ({
  ancestorRef: { name: 'gateway', namespace: 'system' },
  controllerName: INSTALLATION.gatewayControllerName,
  conditions,
  ...more,
});
/** A policy of generation 3 with these ancestors. */
const seen = (...ancestors: readonly unknown[]): KubernetesObject => ({
  ...policy,
  metadata: { ...policy.metadata, generation: 3 },
  status: { ancestors },
});
const verdict = (...attached: readonly KubernetesObject[]) => attachmentsOf([], attached, JUDGE)[0];

describe('a policy is accepted only', () => {
  const accepted = [condition('Accepted', 'True', 3)];
  const other = { ancestorRef: { name: 'other', namespace: 'system' } };
  const elsewhere = { ancestorRef: { name: 'gateway', namespace: 'elsewhere' } };

  test.each([
    ['when it is', seen(place(accepted)), 'accepted'],
    ['when it has been looked at', { ...policy, metadata: { ...policy.metadata, generation: 1 } }, 'pending'],
    ['as it presently is', seen(place([condition('Accepted', 'True', 2)])), 'pending'],
    ['when it is known as what', seen(place([{ type: 'Accepted', status: 'True' }])), 'pending'],
    ['by our Envoy Gateway', seen(place(accepted, { controllerName: 'example.com/other' })), 'pending'],
    ['for our Gateway', seen(place(accepted, other)), 'pending'],
    ['for that of our namespace', seen(place(accepted, elsewhere)), 'pending'],
    ['for the Gateway beside it', seen(place(accepted, { ancestorRef: { name: 'gateway' } })), 'accepted'],
    ['when nothing else is said', seen(place([condition('Accepted', 'Unknown', 3)])), 'pending'],
    ['when what it names is there', seen(place([...accepted, condition('ResolvedRefs', 'False', 3)])), 'refused'],
    ['everywhere', seen(place(accepted), place([condition('Accepted', 'False', 3)], other)), 'refused'],
    ['as it presently is: what it was before was refused', seen(place([condition('Accepted', 'False', 2)])), 'pending'],
    [
      'once, where a part of it is told apart',
      seen(place([condition('Merged', 'True', 3)]), place(accepted)),
      'accepted',
    ],
  ])('%s', (_, attached, expected) => {
    expect(verdict(attached)?.verdict).toBe(expected);
  });

  test('and otherwise it is named, with what Envoy Gateway says', () => {
    const refused = seen(place([condition('Accepted', 'False', 3, { message: 'no such listener' })]));
    expect(verdict(refused)?.message).toBe('ClientTrafficPolicy system/gateway: no such listener');
    expect(verdict(policy)?.message).toMatch(/^ClientTrafficPolicy system\/gateway waits for Envoy Gateway/);
  });
});

test('a route is judged by its parents', () => {
  const { ancestorRef: parentRef, ...rest } = place([condition('Accepted', 'True', 1)]);
  const metadata = { ...route.metadata, generation: 1 };
  expect(verdict({ ...route, metadata, status: { parents: [{ parentRef, ...rest }] } })).toMatchObject({
    verdict: 'accepted',
    scheduler: 'llama',
  });
});

test('what is to be there and is not is missing; what is not attached to the Gateway is no matter', () => {
  const missing = attachmentsOf(objects, [policy], JUDGE).filter(({ verdict: is }) => is === 'missing');
  expect(missing.map(({ message }) => message)).toContain('HTTPRoute models/gateway-health is not there yet.');
  expect(missing.map(({ kind }) => kind)).not.toContain('ClientTrafficPolicy');
  expect(missing.map(({ kind }) => kind)).not.toContain('Gateway');
});

test('what is on its way out is not waited for', () => {
  expect(verdict({ ...policy, metadata: { ...policy.metadata, deletionTimestamp: 'now' } })).toBeUndefined();
});

test('a policy that selects routes and finds none is not waited for: Envoy Gateway never looks at it', () => {
  const retry = find({ objects }, 'BackendTrafficPolicy', 'gateway-retry-0');
  expect(attachmentsOf([], [retry], JUDGE)).toEqual([]);
  expect(attachmentsOf([], [retry, route], JUDGE).map(({ kind }) => kind)).toEqual([
    'BackendTrafficPolicy',
    'HTTPRoute',
  ]);
  const plain = { ...route, metadata: { ...route.metadata, labels: {} } };
  expect(attachmentsOf([], [retry, plain], JUDGE).map(({ kind }) => kind)).toEqual(['HTTPRoute']);
});
