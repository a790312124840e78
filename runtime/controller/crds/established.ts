import type { CrdFault } from './crd-fault';
import type { CustomResourceDefinition } from './custom-resource-definition';

/** Undefined where the API server serves the definition. */
export function notEstablished(name: string, present: CustomResourceDefinition | undefined): CrdFault | undefined {
  const conditions = present?.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return undefined;
  const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  if (refused !== undefined) {
    return {
      reason: 'NotEstablished',
      message: `the names of ${name} are taken by another definition (${refused.message ?? refused.reason ?? 'no reason given'}): remove one of the two`,
    };
  }
  return {
    reason: 'NotEstablished',
    message: `${name} is not established: see its status.conditions (kubectl get crd ${name} -o yaml)`,
  };
}
