import { GATEWAY_CLASS, MANAGED_BY_LABEL, MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';
import { AWS_CONTROLLER } from './aws-controller';
import { isApplied } from './owner';
import type { Watches } from './watches';

/** On our own controller's Deployment, which may have the same place and name. */
const CONTROLLER_LABEL = 'app.kubernetes.io/part-of';
const CONTROLLER_PART_OF = 'hyperpod-inference-gateway';

const GATEWAY_CLASSES = resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass');

export interface Coexistence {
  /**
   * Why this controller must change nothing: another one of the same contract is there, and both would write the same
   * objects. Undefined: it is alone.
   */
  another(signal: AbortSignal): Promise<string | undefined>;
}

export function createCoexistence(
  client: Pick<ApiClient, 'get'>,
  watches: Pick<Watches, 'foreignDeployment' | 'gatewayClass'>,
): Coexistence {
  return {
    async another(signal) {
      const deployment = watches.foreignDeployment();
      if (deployment !== undefined && deployment.metadata.labels?.[CONTROLLER_LABEL] !== CONTROLLER_PART_OF) {
        const { namespace, name } = AWS_CONTROLLER;
        return `Deployment ${namespace}/${name} is another controller of InferenceGatewayConfigs: this one changes nothing while it exists. Remove one of the two`;
      }
      const gatewayClass = watches.gatewayClass();
      if (gatewayClass === undefined || gatewayClass.metadata.labels?.[MANAGED_BY_LABEL] === MANAGER) return undefined;
      // Somebody may have taken the label off; who has applied it shows only at the API server.
      const present = await client.get(GATEWAY_CLASSES, GATEWAY_CLASS, undefined, signal);
      if (present === undefined || isApplied(present)) return undefined;
      return `GatewayClass ${GATEWAY_CLASS} was not made by this controller: it changes nothing while another's is there. Delete it if no other controller needs it, and it is made anew`;
    },
  };
}
