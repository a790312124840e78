import type { Rule } from '../validation/rule';
import { endpointRules } from './rules/endpoint-rules';
import { flowControlRules } from './rules/flow-control-rules';
import { gatewayRules } from './rules/gateway-rules';
import { schedulerRules } from './rules/scheduler-rules';

/** The rules of InferenceGatewayConfig that go over several fields. */
export const INFERENCE_GATEWAY_CONFIG_RULES: readonly Rule[] = [
  ...gatewayRules,
  ...endpointRules,
  ...schedulerRules,
  ...flowControlRules,
];
