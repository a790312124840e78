import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { InferenceGatewayConfigSpec } from '../api/generated/inference-gateway-config';
import type { InferenceGatewayConfig } from '../api/inference-gateway-config/inference-gateway-config';
import { formatPath } from '../api/validation/fault';
import { validateObject } from '../api/validation/validate-object';
import { ENVOY_GATEWAY_CONTROLLER, GROUP } from '../translate/cluster/names';
import { translateGateway } from '../translate/cluster/translate-gateway';
import { SYSTEM_NAMESPACE } from './names';

/** Properties of an InferenceGatewayConfigChart. */
export interface InferenceGatewayConfigChartProps {
  /** Name of the gateway. */
  readonly name: string;
  /** Namespace of the gateway, where its models' pods are. */
  readonly namespace: string;
  /** What the gateway is to be. */
  readonly spec: InferenceGatewayConfigSpec;
}

/** What is asked here, the answer does not depend on. */
const ANY_INSTALLATION = {
  systemNamespace: SYSTEM_NAMESPACE,
  envoyNamespace: SYSTEM_NAMESPACE,
  gatewayControllerName: ENVOY_GATEWAY_CONTROLLER,
  image: { reference: 'inference-gateway', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
} as const;

/**
 * One gateway: its InferenceGatewayConfig, translated at synthesis as the controller will translate it. Throws all that the
 * API server or the controller would refuse, each with the path of its field.
 */
export class InferenceGatewayConfigChart extends Chart {
  constructor(scope: Construct, id: string, { name, namespace, spec }: InferenceGatewayConfigChartProps) {
    super(scope, id);
    const config = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'InferenceGatewayConfig',
      metadata: { name, namespace },
      spec,
    };
    const faults = faultsOf(config);
    if (faults.length > 0) throw new Error(`InferenceGatewayConfig ${namespace}/${name}: ${faults.join('; ')}`);
    new ApiObject(this, 'Config', config);
  }
}

function faultsOf(config: object): readonly string[] {
  const checked = validateObject(config);
  if ('faults' in checked) return checked.faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  if (!('object' in checked)) return [];
  const translation = translateGateway(checked.object as InferenceGatewayConfig, ANY_INSTALLATION, {
    configs: [],
    objects: [],
    certManager: true,
    loadBalancerController: true,
  });
  // Objects that a config refers to may come by other ways; that two of its own want one name, nothing mends.
  return translation.problems
    .filter(({ blocks, reason }) => blocks || reason === 'NameTaken')
    .map(({ message }) => message);
}
