import { inferenceGatewayConfigCrd } from '../../../../lib/api/crd/inference-gateway-config-crd';
import type { StructuralNode } from '../../../../lib/api/crd/structural-schema';
import { INFERENCE_GATEWAY_CONFIG_RULES } from '../../../../lib/api/inference-gateway-config/rules';

const crd = inferenceGatewayConfigCrd();
const version = crd.spec.versions[0]!;
const root = version.schema.openAPIV3Schema;

test('it is named as the published contract names it', () => {
  expect(crd.metadata.name).toBe('inferencegatewayconfigs.inference.sagemaker.aws.amazon.com');
  expect(crd.spec).toMatchObject({
    scope: 'Namespaced',
    names: { kind: 'InferenceGatewayConfig', shortNames: ['igwc'] },
  });
  expect(version).toMatchObject({ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } });
});

test('every node has a type, or is an integer or string', () => {
  const untyped = nodes(root).filter(
    ({ node }) => node.type === undefined && node['x-kubernetes-int-or-string'] !== true,
  );
  expect(untyped).toEqual([]);
});

test('no node has a keyword that a structural schema may not have', () => {
  const keywords = new Set(nodes(root).flatMap(({ node }) => Object.keys(node)));
  const forbidden = [
    '$ref',
    '$schema',
    'definitions',
    'propertyNames',
    'const',
    'extension',
    'typeName',
    'expects',
    'deprecated',
    'uniqueItems',
  ];
  expect(forbidden.filter((keyword) => keywords.has(keyword))).toEqual([]);
  expect(
    nodes(root).every(({ node }) => node.properties === undefined || node.additionalProperties === undefined),
  ).toBe(true);
});

test('each rule that has an expression is where it belongs, and each expression is of a rule', () => {
  const written = nodes(root).flatMap(({ node, path }) =>
    (node['x-kubernetes-validations'] ?? []).map(({ rule, message }) => ({ path, rule, message })),
  );
  const stated = INFERENCE_GATEWAY_CONFIG_RULES.flatMap(({ at, cel, message }) =>
    'expression' in cel ? [{ path: at.join('.'), rule: cel.expression, message }] : [],
  );
  expect(new Set(written)).toEqual(new Set(stated));
  expect(written).toHaveLength(stated.length);
});

test('schedulers are a map by name, so that several owners can each keep an entry', () => {
  expect(nodeAt('spec.schedulers')).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    maxItems: 100,
    minItems: 1,
  });
});

test('deep Kubernetes types are kept whole, and nothing else is', () => {
  const open = nodes(root).flatMap(({ node, path }) =>
    node['x-kubernetes-preserve-unknown-fields'] === true ? [path] : [],
  );
  expect(
    open.filter(
      (path) => !/^spec\.(podDefaults|envoy|schedulers\.\*)\.(resources|tolerations|affinity|env|envFrom)\b/.test(path),
    ),
  ).toEqual([]);
  expect(open).toContain('spec.podDefaults.affinity');
});

test('defaults are those of the contract', () => {
  expect(nodeAt('spec.bbr.replicas').default).toBe(2);
  expect(nodeAt('spec.bbr.maxRequestBodyBytes').default).toBe(268_435_456);
  expect(nodeAt('spec.schedulers.*.weights.prefix').default).toBe(3);
  expect(nodeAt('spec.schedulers.*.weights.lru').default).toBeUndefined();
  expect(nodeAt('spec.schedulers.*.weights').default).toBeUndefined();
  expect(nodeAt('spec.schedulers.*.flowControl.maxBytes')).toMatchObject({ default: '512Mi', minimum: 1 });
  expect(nodeAt('spec.schedulers.*.flowControl').default).toBeUndefined();
});

test('the status has what the controller reports', () => {
  expect(Object.keys(nodeAt('status').properties ?? {})).toEqual([
    'observedGeneration',
    'conditions',
    'schedulers',
    'tls',
  ]);
  expect(nodeAt('status.schedulers.*.rolloutState').enum).toEqual(['Pending', 'Progressing', 'Available', 'Degraded']);
});

interface FoundNode {
  readonly node: StructuralNode;
  readonly path: string;
}

function nodes(node: StructuralNode, path = ''): FoundNode[] {
  const below = (child: StructuralNode, step: string) => nodes(child, path === '' ? step : `${path}.${step}`);
  return [
    { node, path },
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => below(child, name)),
    ...(node.items === undefined ? [] : below(node.items, '*')),
    ...(node.additionalProperties === undefined ? [] : below(node.additionalProperties, '*')),
  ];
}

function nodeAt(path: string): StructuralNode {
  return nodes(root).find((found) => found.path === path)!.node;
}
