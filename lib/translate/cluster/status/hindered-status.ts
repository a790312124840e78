import type { GatewayStatus } from '../../../api/inference-gateway-config/status';
import { items, propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import type { Problem } from '../types';
import { type Condition, conditionsOf } from './conditions';

/**
 * `status` of an InferenceGatewayConfig that is not looked at: the problem's condition is false, and `Ready` with it. All the
 * rest stays as it was told, with the generation that it was told of.
 */
export function hinderedStatus(
  { status, metadata }: KubernetesObject,
  { condition = 'Ready', reason, message }: Problem,
  now: string,
): GatewayStatus {
  const former = (status ?? {}) as GatewayStatus;
  const finding = { holds: false, reason, message };
  const findings = { [condition]: finding, Ready: finding };
  const kept = items(former.conditions).filter((one) => !(String(propertyAt(one, 'type')) in findings));
  const conditions = conditionsOf(findings, former.conditions, metadata.generation, now);
  return { ...former, conditions: [...conditions, ...(kept as Condition[])] };
}
