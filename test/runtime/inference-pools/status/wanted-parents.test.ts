import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { ENVOY_GATEWAY_CONTROLLER } from '../../../../lib/translate/cluster/names';
import { wantedParents } from '../../../../runtime/inference-pools/status/wanted-parents';
import { factsOf, gateway, gatewayClass, judged, PICKER, pool, route, service } from './support/objects';

/** `gateway Accepted/reason ResolvedRefs/reason`, by pool. */
function wanted(...objects: readonly KubernetesObject[]): Readonly<Record<string, readonly string[]>> {
  const judgedPools = wantedParents(factsOf(gateway(), gatewayClass(), ...objects), ENVOY_GATEWAY_CONTROLLER);
  return Object.fromEntries(
    [...judgedPools].map(([key, { parents }]) => [
      key,
      parents.map(({ namespace, name, conditions: { Accepted, ResolvedRefs } }) => {
        const said = [Accepted, ResolvedRefs].map(({ status, reason }) => `${status}/${reason}`);
        return `${namespace}/${name} ${said.join(' ')}`;
      }),
    ]),
  );
}

const accepted = route('chat', { parents: [judged('True')] });

test('a pool that no route leads to has no parents, and one that is not there has no status', () => {
  expect(wanted(pool('qwen'), accepted)).toEqual({ 'team/qwen': [] });
});

test('a pool without a picker is accepted: its requests are balanced without one', () => {
  expect(wanted(pool(), accepted)).toEqual({ 'team/llama': ['team/gw True/Accepted True/ResolvedRefs'] });
});

test('a picker that is not there is told, and the pool is accepted all the same', () => {
  expect(wanted(pool('llama', PICKER), accepted)).toEqual({
    'team/llama': ['team/gw True/Accepted False/InvalidExtensionRef'],
  });
  expect(wanted(pool('llama', PICKER), accepted, service())).toEqual({
    'team/llama': ['team/gw True/Accepted True/ResolvedRefs'],
  });
});

test('each Gateway has its own verdict, in the order of their names', () => {
  const gateways = ['b', 'a'].map((name) => gateway(name));
  const parentRefs = ['gw', 'b', 'a'].map((name) => ({ name }));
  const parents = [judged('True'), judged('False', { name: 'b' })];

  expect(wanted(pool(), ...gateways, route('chat', { parentRefs, parents }))).toEqual({
    'team/llama': [
      'team/a Unknown/Pending True/ResolvedRefs',
      'team/b False/HTTPRouteNotAccepted True/ResolvedRefs',
      'team/gw True/Accepted True/ResolvedRefs',
    ],
  });
});
