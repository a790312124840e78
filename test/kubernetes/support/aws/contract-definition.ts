import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inferenceGatewayConfigSchema } from '../../../../lib/api/inference-gateway-config/inference-gateway-config';
import { type SchemaNode, schemaNode } from '../../../../lib/api/schema/schema-node';
import { ROOT } from '../standard-images';

export const CONFIG_CRD = 'inferencegatewayconfigs.inference.sagemaker.aws.amazon.com';

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  [rules: `x-kubernetes-${string}`]: unknown;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly [
      { readonly schema: { readonly openAPIV3Schema: { readonly properties: Properties } } },
    ];
  };
}

type Properties = Readonly<Record<'spec' | 'status', Schema>>;

/** InferenceGatewayConfig as somebody else defines it: the fields of the published contract, and none of ours. */
export async function contractDefinition(): Promise<object> {
  const file = join(ROOT, 'config', 'crd', 'inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.yaml');
  const definition = parse(await readFile(file, 'utf8')) as Definition;
  const { properties } = definition.spec.versions[0].schema.openAPIV3Schema;
  leaveOutExtensions(properties.spec, schemaNode(inferenceGatewayConfigSchema.shape.spec));
  return { ...definition, metadata: { name: CONFIG_CRD } };
}

/** Rules go too: some are about fields that are left out. */
function leaveOutExtensions(schema: Schema, node: SchemaNode): void {
  delete schema['x-kubernetes-validations'];
  if (schema.items !== undefined && node.items !== undefined) leaveOutExtensions(schema.items, node.items);
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    const property = schema.properties?.[name];
    if (property === undefined) continue;
    if (field.extension === true) delete schema.properties![name];
    else leaveOutExtensions(property, field);
  }
}
