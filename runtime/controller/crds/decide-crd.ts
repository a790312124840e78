import { type CrdAge, crdAge } from './crd-age';
import type { CrdFault } from './crd-fault';
import { crdMarks } from './crd-marks';
import type { CustomResourceDefinition } from './custom-resource-definition';
import type { ShippedCrd } from './shipped-crd';
import { howToBring, unusable } from './usable';

/**
 * Why things stay as they are. `other-channel`: experimental Gateway API where the shipped one is standard.
 * `not-used`: it cannot be brought up to date, and only others could miss it.
 */
export type CrdKept = Exclude<CrdAge, 'older'> | 'other-channel' | 'not-managed' | 'not-used';

export type CrdDecision =
  | { readonly action: 'create' }
  | { readonly action: 'upgrade' }
  | { readonly action: 'keep'; readonly why: CrdKept }
  | { readonly action: 'refuse'; readonly fault: CrdFault };

/**
 * What to do about a definition, given the one that the cluster has. Only one that is certainly older is replaced;
 * another stays, and is refused where the gateway could not work with it. `managed`: whether the controller may write.
 */
export function decideCrd(
  shipped: ShippedCrd,
  present: CustomResourceDefinition | undefined,
  managed = true,
): CrdDecision {
  const { name } = shipped.definition.metadata;
  if (present === undefined) {
    if (managed) return { action: 'create' };
    return refuse(shipped, 'Absent', `${name} is not installed: ${howToBring(shipped)}`);
  }
  if (present.metadata.deletionTimestamp !== undefined) {
    return refuse(shipped, 'Terminating', `${name} is being deleted: wait until it and its objects are gone`);
  }
  const age = crdAge(shipped, present);
  if (age === 'same') return { action: 'keep', why: 'same' };
  if (!managed) return keep(shipped, present, 'not-managed');
  if (isOfOtherChannel(shipped, present)) return keep(shipped, present, 'other-channel');
  if (age !== 'older') return keep(shipped, present, age);
  const lost = lostVersions(shipped, present);
  if (lost.length === 0) return { action: 'upgrade' };
  return refuse(
    shipped,
    'StoredVersion',
    `${name} may have objects stored as ${lost.join(', ')}, which ${shipped.release} no longer has: write each object once (kubectl get -o yaml, kubectl replace), and remove the version from status.storedVersions`,
  );
}

function keep(shipped: ShippedCrd, present: CustomResourceDefinition, why: CrdKept): CrdDecision {
  const fault = unusable(shipped, present);
  return fault === undefined ? { action: 'keep', why } : { action: 'refuse', fault };
}

function refuse({ use }: ShippedCrd, reason: CrdFault['reason'], message: string): CrdDecision {
  if (use === undefined) return { action: 'keep', why: 'not-used' };
  return { action: 'refuse', fault: { reason, message } };
}

/** Fields of the one channel may be in use that the other does not have. */
function isOfOtherChannel({ definition, bundle }: ShippedCrd, present: CustomResourceDefinition): boolean {
  const { channel } = crdMarks(present, bundle);
  return channel !== undefined && channel !== crdMarks(definition, bundle).channel;
}

function lostVersions({ definition }: ShippedCrd, present: CustomResourceDefinition): string[] {
  const kept = new Set(definition.spec.versions.map(({ name }) => name));
  return (present.status?.storedVersions ?? []).filter((version) => !kept.has(version));
}
