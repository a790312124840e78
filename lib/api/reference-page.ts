import type { CompleteWeights } from './inference-gateway-config/scorer-weights';
import { markdownTable } from './markdown-table';
import { limitsOf } from './schema/describe-node';
import { type NamedType, namedTypes } from './schema/named-types';
import type { SchemaNode } from './schema/schema-node';
import type { Rule } from './validation/rule';

/** What the page of a kind is made of. */
export interface ReferencePageParts {
  readonly kind: string;
  readonly apiVersion: string;
  readonly introduction: string;
  readonly spec: SchemaNode;
  readonly rules: readonly Rule[];
  /** Weights by name of the profile; the first row is what a scheduler has that names none. */
  readonly profiles: Readonly<Record<string, CompleteWeights>>;
}

/** The reference page in Markdown. */
export function referencePage(parts: ReferencePageParts): string {
  const objects = namedTypes(parts.spec, 'spec').filter(({ node }) => node.properties !== undefined);
  const placeOf = new Map(objects.map(({ name, place }) => [name, place]));
  const sections = [
    `# ${parts.kind}`,
    '<!-- Generated from the schemas in lib/api by `npm run generate`. Do not edit. -->',
    `apiVersion \`${parts.apiVersion}\`, kind \`${parts.kind}\`. ${parts.introduction}`,
    ...objects.map((object) => objectSection(object, placeOf)),
    profileSection(parts.profiles),
    ruleSection(parts.rules),
  ];
  return `${sections.join('\n\n')}\n`;
}

function objectSection({ node, place }: NamedType, placeOf: ReadonlyMap<string, string>): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, field]) => {
    const required = node.required?.includes(name) === true;
    const mark = field.extension === true ? '**Extension.** ' : '';
    const text = `${mark}${field.description ?? ''}`;
    return [
      `\`${name}\`${required ? ' (required)' : ''}`,
      typeText(field, placeOf),
      defaultText(field),
      limitText(field),
      text,
    ];
  });
  return [`## ${place}`, node.description ?? '', markdownTable(['field', 'type', 'default', 'limits', 'meaning'], rows)]
    .filter((block) => block !== '')
    .join('\n\n');
}

function profileSection(profiles: ReferencePageParts['profiles']): string {
  const scorers = Object.keys(Object.values(profiles)[0] ?? {});
  const rows = Object.entries(profiles).map(([name, weights]) => [name, ...Object.values(weights).map(String)]);
  const text =
    'What a scheduler weighs. Explicit `weights` win over `profile`; a weight that they leave out has its own default.';
  return ['## Profiles', text, markdownTable(['profile', ...scorers], rows)].join('\n\n');
}

function ruleSection(rules: readonly Rule[]): string {
  const rows = rules.map((rule) => [
    `\`${rule.at.join('.').replaceAll('.*', '[]')}\``,
    `${rule.extension ? '**Extension.** ' : ''}${rule.message}`,
    'expression' in rule.cel ? `\`${rule.cel.expression}\`` : rule.cel.absentBecause,
  ]);
  const text =
    'An object that breaks one of them is refused: by the API server where the rule has an expression, and always by `inference-gateway validate` and the controller.';
  return ['## Rules', text, markdownTable(['at', 'rule', 'CEL'], rows)].join('\n\n');
}

/** An object links to its section, which is where its type occurs first. */
function typeText(node: SchemaNode, placeOf: ReadonlyMap<string, string>): string {
  if (node.typeName !== undefined && node.properties !== undefined) {
    return `[object](#${anchor(placeOf.get(node.typeName) ?? '')})`;
  }
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  if (node.type === 'array') return `list of ${typeText(node.items ?? {}, placeOf)}`;
  if (node.type === 'object' && typeof node.additionalProperties === 'object' && node.properties === undefined) {
    return `map of ${typeText(node.additionalProperties, placeOf)}`;
  }
  if (node['x-kubernetes-int-or-string'] === true) return 'quantity';
  return node.type ?? 'any';
}

function defaultText(node: SchemaNode): string {
  return node.default === undefined || typeof node.default === 'object' ? '' : `\`${node.default}\``;
}

function limitText(node: SchemaNode): string {
  const own = [node.expects ?? '', limitsOf(node)];
  const each = node.items === undefined || node.items.typeName !== undefined ? '' : limitText(node.items);
  return [...own, each === '' ? '' : `each ${each}`].filter((text) => text !== '').join('; ');
}

/** GitHub's form of a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
