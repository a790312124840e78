import { version } from '../../../package.json';
import { inferenceGatewayConfigSchema } from '../inference-gateway-config/inference-gateway-config';
import { INFERENCE_GATEWAY_CONFIG_RULES } from '../inference-gateway-config/rules';
import { statusSchema } from '../inference-gateway-config/status';
import { type SchemaNode, schemaNode } from '../schema/schema-node';
import { type StructuralNode, structuralSchema } from './structural-schema';

/** The parts of an apiextensions.k8s.io/v1 CustomResourceDefinition that we write. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
    };
    readonly scope: 'Namespaced';
    readonly versions: readonly CustomResourceVersion[];
  };
}

interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: Readonly<Record<string, never>> };
  readonly additionalPrinterColumns: readonly {
    readonly name: string;
    readonly type: string;
    readonly jsonPath: string;
  }[];
  readonly schema: { readonly openAPIV3Schema: StructuralNode };
}

const GROUP = 'inference.sagemaker.aws.amazon.com';

/** Release of the project that a definition is of: tells ours from others of the same name, and an old one from a new one. */
export const CRD_RELEASE_ANNOTATION = `${GROUP}/crd-release`;

/** The CustomResourceDefinition of InferenceGatewayConfig. */
export function inferenceGatewayConfigCrd(): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `inferencegatewayconfigs.${GROUP}`,
      annotations: { [CRD_RELEASE_ANNOTATION]: `v${version}` },
    },
    spec: {
      group: GROUP,
      names: {
        kind: 'InferenceGatewayConfig',
        listKind: 'InferenceGatewayConfigList',
        plural: 'inferencegatewayconfigs',
        singular: 'inferencegatewayconfig',
        shortNames: ['igwc'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Accepted', type: 'string', jsonPath: '.status.conditions[?(@.type=="Accepted")].status' },
            { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          schema: { openAPIV3Schema: objectSchema() },
        },
      ],
    },
  };
}

/** apiVersion, kind and metadata are the API server's own; it does not want them described again. */
function objectSchema(): StructuralNode {
  const spec = part(schemaNode(inferenceGatewayConfigSchema), 'spec');
  return {
    description: 'One inference gateway: its router, its certificate, who may use it, and its models.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structuralSchema(spec, INFERENCE_GATEWAY_CONFIG_RULES, ['spec']),
      status: structuralSchema(schemaNode(statusSchema), [], ['status']),
    },
  };
}

function part(node: SchemaNode, name: string): SchemaNode {
  const found = node.properties?.[name];
  if (found === undefined) throw new Error(`the schema has no ${name}`);
  return found;
}
