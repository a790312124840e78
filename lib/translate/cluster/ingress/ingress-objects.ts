import type { Context } from '../context';
import { ENVOY_HEALTH_PATH } from '../envoy-gateway/envoy-health-path';
import type { KubernetesObject } from '../kubernetes-object';
import { hashOf, shortName } from '../short-name';
import { acmArn, endpointType } from './endpoint-type';
import { attributes, DEREGISTRATION_SECONDS, SSL_POLICY, TAGS } from './load-balancer-settings';

/** A little longer than Envoy lets a stream be idle, so that Envoy's answer is seen. Seconds. */
const ALB_IDLE_SECONDS = 620;

const HTTPS_PORT = 443;

/** What binds a load balancer to the Envoys, besides their Service. */
export function ingressObjects(context: Context): KubernetesObject[] {
  const { config, world } = context;
  const { targetGroupArn } = config.spec.endpoint;
  return [
    ...(endpointType(config) === 'alb' ? [ingress(context)] : []),
    ...(targetGroupArn === undefined || !world.loadBalancerController
      ? []
      : [targetGroupBinding(context, targetGroupArn)]),
  ];
}

/** The certificate that the load balancer shows: the config's, or the one that was issued and imported. */
export function listenerCertificate({ config, world }: Context): string | undefined {
  return acmArn(config.spec) ?? world.importedCertificateArn;
}

function ingress(context: Context): KubernetesObject {
  const { config, installation, names, make } = context;
  const annotation = (name: string) => `alb.ingress.kubernetes.io/${name}`;
  const certificate = listenerCertificate(context);
  return make(
    'networking.k8s.io/v1',
    'Ingress',
    {
      name: names.envoy,
      namespace: installation.envoyNamespace,
      annotations: {
        [annotation('scheme')]: 'internal',
        [annotation('target-type')]: 'ip',
        [annotation('listen-ports')]: JSON.stringify([{ HTTPS: HTTPS_PORT }]),
        ...(certificate !== undefined && { [annotation('certificate-arn')]: certificate }),
        [annotation('ssl-policy')]: SSL_POLICY,
        // The way from the load balancer to Envoy is encrypted too.
        [annotation('backend-protocol')]: 'HTTPS',
        [annotation('healthcheck-protocol')]: 'HTTPS',
        [annotation('healthcheck-path')]: ENVOY_HEALTH_PATH,
        [annotation('load-balancer-attributes')]: attributes({ 'idle_timeout.timeout_seconds': ALB_IDLE_SECONDS }),
        [annotation('target-group-attributes')]: attributes({
          'deregistration_delay.timeout_seconds': DEREGISTRATION_SECONDS,
        }),
        [annotation('tags')]: TAGS,
        ...config.spec.endpoint.annotations,
      },
    },
    {
      spec: {
        ingressClassName: 'alb',
        rules: [
          {
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: names.envoy, port: { number: HTTPS_PORT } } },
                },
              ],
            },
          },
        ],
      },
    },
  );
}

function targetGroupBinding({ config, installation, names, make }: Context, targetGroupARN: string): KubernetesObject {
  return make(
    'elbv2.k8s.aws/v1beta1',
    'TargetGroupBinding',
    // A binding stays with its target group for good: another group has another.
    {
      name: shortName(config.metadata.name, `target-${hashOf(targetGroupARN)}`),
      namespace: installation.envoyNamespace,
    },
    { spec: { targetGroupARN, targetType: 'ip', serviceRef: { name: names.envoy, port: HTTPS_PORT } } },
  );
}
