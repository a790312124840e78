import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { InstallValues } from './generated/install-values';
import { Installation } from './installation';
import { SYSTEM_NAMESPACE } from './names';
import { completeValues } from './values/complete-values';

/** Properties of an InferenceGatewayChart. */
export interface InferenceGatewayChartProps {
  /**
   * Namespace of the installation.
   * @default "inference-gateway"
   */
  readonly namespace?: string;
  /**
   * What is installed, and how.
   * @default - the defaults of its fields
   */
  readonly values?: InstallValues;
}

/**
 * The objects that install the gateway on a cluster: the controller, and Envoy Gateway unless there is one. CRDs are
 * not among them; the controller applies them when it starts. Throws where a value is not of its kind.
 */
export class InferenceGatewayChart extends Chart {
  constructor(scope: Construct, id: string, props: InferenceGatewayChartProps = {}) {
    // No namespace for all: objects of the cluster have none, the others say theirs.
    super(scope, id);
    new Installation(this, 'Installation', props.namespace ?? SYSTEM_NAMESPACE, completeValues(props.values ?? {}));
  }
}
