import type { Problem } from '../../lib/translate/cluster/types';
import type { Owner } from './owner';
import type { Watches } from './watches';
import { objectName } from './write-failure';

/** So many of a list are named. */
const MOST_NAMES = 5;

/** What of the cluster stands beside a gateway, and its author or administrator should know. */
export function clusterProblems(owner: Owner, watches: Pick<Watches, 'unreadable' | 'elsewhere'>): Problem[] {
  return [...unreadable(watches.unreadable()), ...leftElsewhere(watches.elsewhere(owner).map(objectName))];
}

function unreadable(kinds: ReadonlyMap<string, string>): Problem[] {
  return [...kinds].map(([kind, why]) => ({
    condition: 'GatewayProgrammed',
    warns: true,
    reason: 'NotReadable',
    message: `${kind} cannot be read: ${why}; gateways go on without it: let the controller's role list and watch it, or see to what serves it`,
    blocks: false,
  }));
}

function leftElsewhere(names: readonly string[]): Problem[] {
  if (names.length === 0) return [];
  const [named, others] = [names.toSorted().slice(0, MOST_NAMES), names.length - MOST_NAMES];
  return [
    {
      reason: 'LeftElsewhere',
      message: `an installation in another namespace has made ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''} for the gateway, and this one leaves them: delete them if that installation is gone`,
      blocks: false,
    },
  ];
}
