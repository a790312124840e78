import { type NamedType, namedTypes } from './schema/named-types';
import type { SchemaNode } from './schema/schema-node';

/**
 * TypeScript source of the types that a user of the library writes, from the schema of the spec: read-only interfaces
 * and enums only, because jsii carries neither unions nor inferred types into other languages.
 */
export function typescriptInterfaces(spec: SchemaNode): string {
  const types = namedTypes(spec, 'spec').map((type) =>
    type.node.enum === undefined ? interfaceOf(type) : enumOf(type),
  );
  return ['// Generated from the schemas in lib/api by `npm run generate`. Do not edit.', ...types]
    .join('\n\n')
    .concat('\n');
}

function interfaceOf({ name, node, place }: NamedType): string {
  const fields = Object.entries(node.properties ?? {}).map(([field, type]) => {
    const required = node.required?.includes(field) === true;
    const doc = comment(fieldDoc(type, required), '  ');
    return `${doc}\n  readonly ${field}${required ? '' : '?'}: ${typeOf(type)};`;
  });
  return `${comment([`\`${place}\`.`], '')}\nexport interface ${name} {\n${fields.join('\n')}\n}`;
}

function enumOf({ name, node, place }: NamedType): string {
  const members = (node.enum ?? []).map((value) => `  /** \`${value}\` */\n  ${memberName(value)} = '${value}',`);
  return `${comment([`Values of \`${place}\`.`], '')}\nexport enum ${name} {\n${members.join('\n')}\n}`;
}

/** `kubernetes.io/h2c` is KUBERNETES_IO_H2C, `DoesNotExist` is DOES_NOT_EXIST. */
function memberName(value: string): string {
  return value
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

function fieldDoc(node: SchemaNode, required: boolean): string[] {
  const lines = [node.description ?? ''];
  if (node.extension === true) lines.push('An extension of the published contract.');
  if (!required) lines.push(`@default ${defaultText(node)}`);
  return lines.filter((line) => line !== '');
}

/** jsii's way: a literal, or a dash and words. */
function defaultText(node: SchemaNode): string {
  if (node.default === undefined) return '- none';
  if (typeof node.default === 'object') return '- the defaults of its fields';
  if (node.enum !== undefined && node.typeName !== undefined)
    return `${node.typeName}.${memberName(String(node.default))}`;
  return JSON.stringify(node.default);
}

function comment(lines: readonly string[], indent: string): string {
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].join('\n');
}

function typeOf(node: SchemaNode): string {
  if (node.typeName !== undefined) return node.typeName;
  switch (node.type) {
    case 'array':
      return `readonly ${typeOf(node.items ?? {})}[]`;
    case 'object':
      return `{ readonly [key: string]: ${valueTypeOf(node)} }`;
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'string':
      return node.type;
    default:
      return 'any';
  }
}

/** Kubernetes types that are passed through have fields of many types: `any` is what jsii has for them. */
function valueTypeOf(node: SchemaNode): string {
  const passedThrough = node.properties !== undefined && Object.keys(node.properties).length > 0;
  return passedThrough || typeof node.additionalProperties !== 'object' ? 'any' : typeOf(node.additionalProperties);
}
