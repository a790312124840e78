import type { InferenceGatewayConfig } from '../../../api/inference-gateway-config/inference-gateway-config';
import { items, propertyAt } from '../../../api/validation/loose';
import { endpointType } from '../ingress/endpoint-type';
import type { Finding } from './conditions';
import type { Observed } from './observed';

/** What the load balancer of each type is made for. */
const MADE_FOR = { nlb: 'Service', alb: 'Ingress' } as const;

/** That the load balancer is not there yet; undefined where it is, or where none is to be made. */
export function loadBalancerFinding(config: InferenceGatewayConfig, { entrances }: Observed): Finding | undefined {
  const type = endpointType(config);
  if (type === 'clusterIP') return undefined;
  const made = entrances.find(({ kind }) => kind === MADE_FOR[type]);
  if (made === undefined || items(propertyAt(made.status, 'loadBalancer', 'ingress')).length > 0) return undefined;
  const { kind, metadata } = made;
  const name = `${metadata.namespace}/${metadata.name}`;
  return {
    holds: false,
    reason: 'LoadBalancerPending',
    message: `${kind} ${name} has no load balancer yet, which the AWS Load Balancer Controller makes within minutes; if it does not come, see the events of that ${kind}, and whether the controller runs.`,
  };
}
