/**
 * What the conformance suite of the Gateway API Inference Extension asks of the picker that stands behind the gateway
 * under test. Clients can steer by it, so it is for that suite alone.
 */

/** A request header: the endpoints that the request may go to, `ip[:port]`, comma-separated. */
export const SELECTION_HEADER = 'test-epp-endpoint-selection';

/** On a response: the endpoint that the proxy says has served it. */
export const SERVED_TEST_HEADER = 'x-conformance-test-served-endpoint';

/** Has the suite's echo server set a response header. */
export const ECHO_HEADER = 'x-echo-set-header';

/** The value of `SERVED_TEST_HEADER`. */
export function servedTestValue(served: string | undefined): string {
  return served ?? 'fail: the response brought no x-gateway-destination-endpoint-served in envoy.lb';
}
