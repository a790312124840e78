import { crdContent } from './crd-content';
import { crdMarks } from './crd-marks';
import type { CustomResourceDefinition } from './custom-resource-definition';
import { compareReleases } from './release-order';
import { missingFields, schemaFields } from './schema-fields';
import type { ShippedCrd } from './shipped-crd';

/**
 * What a definition of the cluster is beside the shipped one.
 * - `same`, `older`, `newer`: than the shipped one.
 * - `foreign`: of our own group, and not ours.
 * - `unclear`: another, of which nothing tells whether it is older.
 */
export type CrdAge = 'same' | 'older' | 'newer' | 'foreign' | 'unclear';

export function crdAge(shipped: ShippedCrd, present: CustomResourceDefinition): CrdAge {
  const sameContent = crdContent(shipped.definition) === crdContent(present);
  const marks = crdMarks(present, shipped.bundle);
  if (shipped.bundle === 'envoy-gateway') return sameContent ? 'same' : unmarkedAge(shipped, present);
  if (marks.release === undefined) {
    if (sameContent) return 'same';
    return shipped.bundle === 'inference-gateway' ? 'foreign' : 'unclear';
  }
  const order = compareReleases(marks.release, shipped.release);
  if (order === undefined) return sameContent ? 'same' : 'unclear';
  if (order !== 0) return order < 0 ? 'older' : 'newer';
  if (sameContent) return 'same';
  // Ours is put right. What others publish may have been changed by those who run the cluster.
  return shipped.bundle === 'inference-gateway' ? 'older' : 'unclear';
}

/** Of a bundle whose definitions do not name their release. */
function unmarkedAge(shipped: ShippedCrd, present: CustomResourceDefinition): CrdAge {
  const { applied, generator } = crdMarks(present, shipped.bundle);
  if (applied !== undefined && applied.content === crdContent(present)) {
    return ageOfOrder(compareReleases(applied.release, shipped.release));
  }
  const version = shipped.definition.spec.versions.find(({ storage }) => storage)?.name ?? '';
  const [ours, theirs] = [schemaFields(shipped.definition, version), schemaFields(present, version)];
  const [theyLack, weLack] = [missingFields(ours, theirs).length > 0, missingFields(theirs, ours).length > 0];
  // Releases add fields; one that both adds and removes is told by the tool that wrote it.
  if (theyLack !== weLack) return theyLack ? 'older' : 'newer';
  const ourGenerator = crdMarks(shipped.definition, shipped.bundle).generator;
  return ageOfOrder(
    generator === undefined || ourGenerator === undefined ? undefined : compareReleases(generator, ourGenerator),
  );
}

function ageOfOrder(order: number | undefined): CrdAge {
  if (order === undefined || order === 0) return 'unclear';
  return order < 0 ? 'older' : 'newer';
}
