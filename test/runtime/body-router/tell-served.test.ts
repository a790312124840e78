import { tellServed } from '../../../runtime/body-router/tell-served';

const ADDRESS = '10.0.0.1:8000';

/** What the ticket hears, and what is returned. */
function told(named: string | undefined, attributes: Record<string, string>, status = 503) {
  const heard: unknown[][] = [];
  const ticket = { served: (...args: unknown[]) => heard.push(args), firstToken() {}, done() {} };
  const served = tellServed(ticket, named, new Map(Object.entries(attributes)), status);
  return { heard, served };
}

test('a response of an endpoint is told with its address, the attempts and the status', () => {
  const attributes = { 'response.code_details': 'via_upstream', 'upstream.request_attempt_count': '2' };
  expect(told(ADDRESS, attributes, 200)).toEqual({ heard: [[ADDRESS, 2, 200]], served: ADDRESS });
});

test.each([[undefined], ['']])('one whose endpoint is not named (%j) is told without', (named) => {
  expect(told(named, {}, 200)).toEqual({ heard: [[undefined, 1, 200]], served: undefined });
});

test.each([
  'upstream_reset_before_response_started{connection_termination}',
  'upstream_per_try_timeout',
  'response_timeout',
  'stream_idle_timeout',
])('a reply of the proxy after an endpoint has failed is no response: %s', (details) => {
  expect(told(ADDRESS, { 'response.code_details': details })).toEqual({ heard: [], served: undefined });
});

test.each([
  'no_healthy_upstream',
  'cluster_not_found',
  'route_not_found',
  'upstream_reset_before_response_started{overflow}',
])('one for which no endpoint is at fault blames none: %s', (details) => {
  expect(told(ADDRESS, { 'response.code_details': details })).toEqual({ heard: [[undefined]], served: undefined });
});
