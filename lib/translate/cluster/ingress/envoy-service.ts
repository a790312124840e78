import type { Context } from '../context';
import { ENVOY_HEALTH_PATH } from '../envoy-gateway/envoy-health-path';
import { acmArn, type EndpointType } from './endpoint-type';
import { attributes, DEREGISTRATION_SECONDS, SSL_POLICY, TAGS } from './load-balancer-settings';

/** The AWS Load Balancer Controller's class; others leave such a Service alone. */
const NLB_CLASS = 'service.k8s.aws/nlb';

/** Of a TCP listener; the most is 6000. Seconds. */
const NLB_IDLE_SECONDS = 3_600;

/** The Service of the Envoys, as Envoy Gateway is to make it. */
export function envoyService(context: Context, type: EndpointType) {
  const { names } = context;
  if (type !== 'nlb') return { name: names.envoy, type: 'ClusterIP' };
  return {
    name: names.envoy,
    type: 'LoadBalancer',
    loadBalancerClass: NLB_CLASS,
    // Pods are the targets.
    allocateLoadBalancerNodePorts: false,
    externalTrafficPolicy: 'Cluster',
    annotations: { ...nlbAnnotations(context), ...context.config.spec.endpoint.annotations },
  };
}

function nlbAnnotations({ config }: Context): Readonly<Record<string, string>> {
  const annotation = (name: string) => `service.beta.kubernetes.io/aws-load-balancer-${name}`;
  const arn = acmArn(config.spec);
  return {
    [annotation('scheme')]: 'internal',
    [annotation('nlb-target-type')]: 'ip',
    [annotation('attributes')]: attributes({ 'load_balancing.cross_zone.enabled': true }),
    [annotation('target-group-attributes')]: attributes({
      'deregistration_delay.timeout_seconds': DEREGISTRATION_SECONDS,
      // With a client's address a pod could not reach the gateway on its own node.
      'preserve_client_ip.enabled': false,
    }),
    [annotation('healthcheck-protocol')]: 'https',
    [annotation('healthcheck-path')]: ENVOY_HEALTH_PATH,
    [annotation('healthcheck-port')]: 'traffic-port',
    [annotation('additional-resource-tags')]: TAGS,
    ...(arn === undefined
      ? {
          [annotation('listener-attributes.TCP-443')]: attributes({ 'tcp.idle_timeout.seconds': NLB_IDLE_SECONDS }),
        }
      : {
          [annotation('ssl-cert')]: arn,
          [annotation('ssl-ports')]: '443',
          [annotation('ssl-negotiation-policy')]: SSL_POLICY,
          [annotation('backend-protocol')]: 'ssl',
          [annotation('alpn-policy')]: 'HTTP2Preferred',
        }),
  };
}
