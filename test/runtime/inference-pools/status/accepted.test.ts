import { acceptedAt } from '../../../../runtime/inference-pools/status/accepted';
import type { RouteVerdict } from '../../../../runtime/inference-pools/status/route-verdict';

const refused = (message = 'No listeners allow it.'): RouteVerdict => ({ verdict: 'refused', message });
const accepted: RouteVerdict = { verdict: 'accepted' };
const pending: RouteVerdict = { verdict: 'pending' };

const at = (routes: Readonly<Record<string, RouteVerdict>>) =>
  acceptedAt({ namespace: 'team', name: 'gw', routes: new Map(Object.entries(routes)) });

test('one route that is accepted is enough', () => {
  expect(at({ 'team/a': refused(), 'team/b': pending, 'team/c': accepted })).toEqual({
    status: 'True',
    reason: 'Accepted',
    message: 'Gateway team/gw has HTTPRoutes that lead to the pool',
  });
});

test('the message of one that is accepted does not change with the number of routes', () => {
  expect(at({ 'team/a': accepted, 'team/b': accepted })).toEqual(at({ 'team/b': accepted }));
});

test('while a route waits for its verdict nothing is known', () => {
  expect(at({ 'team/b': pending, 'team/c': pending, 'team/a': refused() })).toMatchObject({
    status: 'Unknown',
    reason: 'Pending',
    message: expect.stringMatching(/has not judged HTTPRoute team\/b, team\/c yet; .*Envoy Gateway runs/),
  });
});

test('where all are refused it is said why, and what to do', () => {
  expect(at({ 'team/b': refused('No hostname fits'), 'team/a': refused() })).toEqual({
    status: 'False',
    reason: 'HTTPRouteNotAccepted',
    message:
      'Gateway team/gw does not accept HTTPRoute team/a (No listeners allow it), team/b (No hostname fits): correct the route, or what the listeners of the Gateway allow',
  });
});

test('the message is bounded, whatever others say', () => {
  const routes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`team/r${i}`, refused('x'.repeat(9_000))]));

  expect(at(routes).message.length).toBeLessThan(2_000);
});
