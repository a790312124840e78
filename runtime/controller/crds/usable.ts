import type { CrdFault } from './crd-fault';
import type { CustomResourceDefinition } from './custom-resource-definition';
import { missingFields, schemaFields } from './schema-fields';
import type { CrdBundle, ShippedCrd } from './shipped-crd';

/** Undefined where the gateway can work with a definition that it leaves as it is. */
export function unusable(shipped: ShippedCrd, present: CustomResourceDefinition): CrdFault | undefined {
  if (shipped.use === undefined) return undefined;
  const { version, fields } = shipped.use;
  const { name } = present.metadata;
  const remedy = howToBring(shipped);
  const served = present.spec.versions.filter((candidate) => candidate.served).map((candidate) => candidate.name);
  if (!served.includes(version)) {
    return {
      reason: 'VersionNotServed',
      message: `${name} does not serve ${version}, which the gateway uses (it serves ${served.join(', ') || 'nothing'}): ${remedy}`,
    };
  }
  const missing = missingFields(fields, schemaFields(present, version));
  if (missing.length === 0) return undefined;
  return {
    reason: 'FieldsMissing',
    message: `${name} has no ${listed(missing)} in ${version}, which the gateway uses: ${remedy}`,
  };
}

const TITLES: Readonly<Record<CrdBundle, string>> = {
  'inference-gateway': 'this gateway',
  'gateway-api': 'Gateway API',
  'envoy-gateway': 'Envoy Gateway',
  'inference-extension': 'the Gateway API Inference Extension',
};

/** What a person does where the controller must not. */
export function howToBring({ bundle, release, definition }: ShippedCrd): string {
  if (bundle === 'inference-gateway') {
    return `whoever installed it must bring it up to date, or delete it together with its objects, so that the controller installs ${release}`;
  }
  const { name } = definition.metadata;
  return `install the definitions of ${TITLES[bundle]} ${release} or later (kubectl apply --server-side --force-conflicts -f FILE), or delete ${name} together with its objects, so that the controller installs it`;
}

function listed(paths: readonly string[]): string {
  const first = paths.slice(0, 5).join(', ');
  return paths.length <= 5 ? first : `${first} and ${paths.length - 5} more fields`;
}
