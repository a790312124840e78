import type { CustomResourceDefinition } from '../../../../../runtime/controller/crds/custom-resource-definition';
import type { CrdBundle, ShippedCrd } from '../../../../../runtime/controller/crds/shipped-crd';

export interface DefinitionParts {
  readonly name?: string;
  /** Fields of `spec`, each a string. */
  readonly fields?: readonly string[];
  /** The first is stored; all are served and have the same fields. */
  readonly versions?: readonly string[];
  readonly served?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly storedVersions?: readonly string[];
  readonly terminating?: boolean;
  /** Differs in nothing that is a field. */
  readonly description?: string;
}

/** A definition as the API server has it. */
export function definition(parts: DefinitionParts = {}): CustomResourceDefinition {
  const properties = Object.fromEntries((parts.fields ?? ['color', 'size']).map((name) => [name, { type: 'string' }]));
  const openAPIV3Schema = {
    type: 'object',
    ...(parts.description !== undefined && { description: parts.description }),
    properties: { spec: { type: 'object', properties } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: parts.name ?? 'things.example.com',
      ...(parts.annotations !== undefined && { annotations: parts.annotations }),
      ...(parts.terminating === true && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      versions: (parts.versions ?? ['v1']).map((name, index) => ({
        name,
        served: parts.served ?? true,
        storage: index === 0,
        schema: { openAPIV3Schema },
      })),
    },
    status: { storedVersions: parts.storedVersions ?? [] },
  };
}

export function shippedCrd(bundle: CrdBundle, release: string, parts: DefinitionParts = {}): ShippedCrd {
  const { status: _, ...shipped } = definition(parts);
  return { bundle, release, definition: shipped, use: { version: 'v1', fields: ['spec.color'] } };
}

/** Annotations as the publishers of a bundle write them. */
export const published = {
  'gateway-api': (release: string, channel = 'standard') => ({
    'gateway.networking.k8s.io/bundle-version': release,
    'gateway.networking.k8s.io/channel': channel,
  }),
  'inference-extension': (release: string) => ({ 'inference.networking.k8s.io/bundle-version': release }),
  'inference-gateway': (release: string) => ({ 'inference.sagemaker.aws.amazon.com/crd-release': release }),
  'envoy-gateway': (generator: string) => ({ 'controller-gen.kubebuilder.io/version': generator }),
} as const;
