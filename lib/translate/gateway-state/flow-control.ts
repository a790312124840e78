import { FLOW_CONTROL_DEFAULTS, type flowControlSchema } from '../../api/inference-gateway-config/flow-control';
import type { DeepReadonly } from '../../api/schema/deep-readonly';
import { durationToMilliseconds } from '../../api/schema/duration';
import { quantityToCount } from '../../api/schema/quantity';
import type { BandLimits, FlowControlState } from '../gateway-state';

type FlowControlSpec = DeepReadonly<ReturnType<(typeof flowControlSchema)['parse']>>;

/** `spec.schedulers[].flowControl` in milliseconds and bytes. */
export function compileFlowControl(spec: FlowControlSpec): FlowControlState {
  const maxBytes = quantityToCount(spec.maxBytes) ?? 0;
  const limits = ({ ttl, maxRequests, maxBytes: bytes }: FlowControlSpec['bands']['critical']): BandLimits => ({
    ttlMs: durationToMilliseconds(ttl) ?? 0,
    maxRequests,
    maxBytes: Math.min(quantityToCount(bytes ?? FLOW_CONTROL_DEFAULTS.bandMaxBytes) ?? 0, maxBytes),
  });
  const { critical, standard, sheddable } = spec.bands;
  return {
    bands: { critical: limits(critical), standard: limits(standard), sheddable: limits(sheddable) },
    maxBytes,
    maxTenants: spec.maxTenants,
    trustClientHeaders: spec.trustClientHeaders,
  };
}
