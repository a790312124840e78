import { markdownTable } from '../../api/markdown-table';
import type { SchemaNode } from '../../api/schema/schema-node';
import { valueNodes } from '../values/sections';

/** The reference page of the values, in Markdown. */
export function valuesPage(root: SchemaNode, defaults: unknown): string {
  const rows = valueNodes(root).map(({ path, node }) => [
    `\`${path}\``,
    typeText(node),
    defaultText(path.split('.').reduce(fieldOf, defaults)),
    node.description ?? '',
  ]);
  return `${[
    '# Values of an installation',
    '<!-- Generated from lib/charts by `npm run generate`. Do not edit. -->',
    'What the Helm chart `charts/inference-gateway` and the construct `InferenceGatewayChart` take. A value that is not here is refused, as is one that is not of its type. [How to install](../install.md).',
    markdownTable(['value', 'type', 'default', 'meaning'], rows),
  ].join('\n\n')}\n`;
}

function fieldOf(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

function typeText(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  return node.type === 'array' ? 'list' : (node.type ?? 'any');
}

function defaultText(value: unknown): string {
  return value === '' ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
