import { backendCluster, ruleOf } from '../../../../runtime/inference-pools/xds/rule-name';

test('the name of a route tells the rule that it was made from', () => {
  const rule = ruleOf('httproute/models/chat/rule/12/match/0/www_example_com');

  expect(rule).toEqual({ route: 'models/chat', index: 12, cluster: 'httproute/models/chat/rule/12' });
  expect(backendCluster(rule!, 3)).toBe('httproute/models/chat/rule/12/backend/3');
});

test('of several matches of one rule the rule is the same', () => {
  const [first, second] = [0, 1].map((match) => ruleOf(`httproute/models/chat/rule/0/match/${match}/*`));

  expect(first).toEqual(second);
});

test.each([
  '',
  'ready_route',
  'grpcroute/models/chat/rule/0/match/0/*',
  'httproute/models/chat/rule/0',
  'httproute/models/chat/rule/x/match/0/*',
  'httproute/chat/rule/0/match/0/*',
  'a/httproute/models/chat/rule/0/match/0/*',
])('%j is of no rule of an HTTPRoute', (name) => {
  expect(ruleOf(name)).toBeUndefined();
});
