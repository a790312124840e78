import { inferenceGatewayConfigSchema } from '../../../lib/api/inference-gateway-config/inference-gateway-config';
import { statusSchema } from '../../../lib/api/inference-gateway-config/status';
import { type SchemaNode, schemaNode } from '../../../lib/api/schema/schema-node';

/** The fields of InferenceGatewayConfig that the published contract has too: without an extension every gateway works. */
export function contractFields(): string[] {
  const found: string[] = [];
  gather(schemaNode(inferenceGatewayConfigSchema.shape.spec), ['spec'], found);
  gather(schemaNode(statusSchema), ['status'], found);
  return found;
}

function gather(node: SchemaNode, path: readonly string[], found: string[]): void {
  if (node.items !== undefined) gather(node.items, [...path, '*'], found);
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    if (field.extension === true) continue;
    found.push([...path, name].join('.'));
    gather(field, [...path, name], found);
  }
}
