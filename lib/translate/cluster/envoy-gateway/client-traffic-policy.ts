import { EARLY_REMOVED_ENVOY_HEADERS, EARLY_REMOVED_HEADERS, IDENTITY_HEADERS } from '../../envoy/control-headers';
import { HEADERS_RECEIVED_MS, REQUEST_RECEIVED_MS, STREAM_IDLE_MS } from '../../envoy/upstream-settings';
import { type Context, target } from '../context';
import { gatewayDuration } from '../durations';
import { endpointType } from '../ingress/endpoint-type';
import type { KubernetesObject } from '../kubernetes-object';
import { ENVOY_HEALTH_PATH } from './envoy-health-path';
import { REQUEST_ID } from './response-overrides';

/** Streams of one HTTP/2 connection of a client. */
const CLIENT_STREAMS = 1_000;

/** How clients are served. There is no `bufferLimit`: bodies are bounded by the request buffer. */
export function clientTrafficPolicy({ config, installation, names, make }: Context): KubernetesObject {
  const hasClaims = config.spec.auth?.jwt?.claims !== undefined;
  return make(
    'gateway.envoyproxy.io/v1alpha1',
    'ClientTrafficPolicy',
    { name: names.gateway, namespace: installation.systemNamespace },
    {
      spec: {
        targetRefs: [target('Gateway', names.gateway)],
        tls: { minVersion: '1.2', alpnProtocols: ['h2', 'http/1.1'] },
        headers: {
          withUnderscoresAction: 'Allow',
          earlyRequestHeaders: {
            remove: [...EARLY_REMOVED_HEADERS, ...EARLY_REMOVED_ENVOY_HEADERS, ...(hasClaims ? IDENTITY_HEADERS : [])],
          },
          lateResponseHeaders: { set: [REQUEST_ID] },
        },
        // A model's name in a path may have an encoded slash.
        path: { escapedSlashesAction: 'KeepUnchanged', disableMergeSlashes: true },
        healthCheck: { path: ENVOY_HEALTH_PATH },
        http2: { maxConcurrentStreams: CLIENT_STREAMS },
        timeout: {
          tcp: { tlsHandshakeTimeout: '15s' },
          http: {
            requestHeadersReceivedTimeout: gatewayDuration(HEADERS_RECEIVED_MS),
            requestReceivedTimeout: gatewayDuration(REQUEST_RECEIVED_MS),
            streamIdleTimeout: gatewayDuration(STREAM_IDLE_MS),
          },
        },
        // A target group may be of a Network Load Balancer, whose clients write the header themselves.
        ...(endpointType(config) === 'alb' && { clientIPDetection: { xForwardedFor: { numTrustedHops: 1 } } }),
      },
    },
  );
}
