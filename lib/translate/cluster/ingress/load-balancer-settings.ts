/* What both kinds of load balancer have in common. */

export const SSL_POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

/** As SageMaker HyperPod tags what it makes. */
export const TAGS = 'CreatedBy=HyperPodInference';

/** A target that leaves answers what it has begun, for as long as an Envoy drains. Seconds. */
export const DEREGISTRATION_SECONDS = 300;

/** `a=1,b=2` of pairs, in their order. */
export function attributes(pairs: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
