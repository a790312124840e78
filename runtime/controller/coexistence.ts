import { GATEWAY_CLASS, INSTALLATION_LABEL, MANAGED_BY_LABEL, MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';
import { AWS_CONTROLLER, runsOf } from './aws-controller';
import { isApplied } from './owner';
import type { Watches } from './watches';

const GATEWAY_CLASSES = resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass');

/** Another controller of the same contract. Both would write the same objects. */
export interface Another {
  /** Why this controller changes nothing, and what to do. */
  readonly message: string;
  /** Another installation of this controller: it tells of gateways and removes them as this one would. */
  readonly isInstallation: boolean;
}

export interface Coexistence {
  /** Who is there, so that this controller must change nothing. Undefined: it is alone. */
  another(signal: AbortSignal): Promise<Another | undefined>;
}

type Signs = Pick<Watches, 'foreignDeployment' | 'gatewayClass'>;

/** As far as watches tell: nothing may be installed that this controller needs, because it has nothing to do. */
export function isIdle(watches: Signs, systemNamespace: string): boolean {
  const isAnothers = installationOf(watches, systemNamespace) !== undefined;
  return runsOf(watches.foreignDeployment()) || hasUnlabelledClass(watches) || isAnothers;
}

export function createCoexistence(
  client: Pick<ApiClient, 'get'>,
  watches: Signs,
  systemNamespace: string,
): Coexistence {
  async function why(signal: AbortSignal): Promise<string | undefined> {
    if (runsOf(watches.foreignDeployment())) {
      const { namespace, name } = AWS_CONTROLLER;
      return `Deployment ${namespace}/${name} is another controller of InferenceGatewayConfigs: this one changes nothing while it exists. Remove one of the two`;
    }
    if (!hasUnlabelledClass(watches)) return undefined;
    // Somebody may have taken the label off; who has applied it shows only at the API server.
    const present = await client.get(GATEWAY_CLASSES, GATEWAY_CLASS, undefined, signal);
    if (present === undefined || isApplied(present)) return undefined;
    return `GatewayClass ${GATEWAY_CLASS} was not made by this controller: it changes nothing while another's is there. Delete it if no other controller needs it, and it is made anew`;
  }

  return {
    async another(signal) {
      const message = await why(signal);
      if (message !== undefined) return { message, isInstallation: false };
      const namespace = installationOf(watches, systemNamespace);
      if (namespace === undefined) return undefined;
      return {
        message: `GatewayClass ${GATEWAY_CLASS} is of an installation in namespace ${namespace}: the one in ${systemNamespace} changes nothing. Remove one of the two; if that in ${namespace} is gone, delete the GatewayClass, and it is made anew`,
        isInstallation: true,
      };
    },
  };
}

function hasUnlabelledClass(watches: Signs): boolean {
  const gatewayClass = watches.gatewayClass();
  return gatewayClass !== undefined && gatewayClass.metadata.labels?.[MANAGED_BY_LABEL] !== MANAGER;
}

/** System namespace of another installation whose GatewayClass it is. */
function installationOf(watches: Signs, systemNamespace: string): string | undefined {
  const namespace = watches.gatewayClass()?.metadata.labels?.[INSTALLATION_LABEL];
  return namespace === systemNamespace ? undefined : namespace;
}
