import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { KINDS } from '../../../lib/api/kinds';
import { collectionPath, objectPath, resourceName } from '../../../runtime/kubernetes/resource-path';
import { RESOURCES, resourceOf } from '../../../runtime/kubernetes/resources';

test('every kind that the gateway reads is there', () => {
  for (const { kind, apiVersions } of KINDS) {
    for (const apiVersion of apiVersions) expect(resourceOf(apiVersion, kind).kind).toBe(kind);
  }
});

test('the gateway’s own kind is as its definition says', () => {
  const file = 'config/crd/inference.sagemaker.aws.amazon.com_inferencegatewayconfigs.yaml';
  const { spec } = parse(readFileSync(join(__dirname, '../../..', file), 'utf8'));

  expect(resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig')).toEqual({
    group: spec.group,
    version: 'v1alpha1',
    kind: spec.names.kind,
    plural: spec.names.plural,
    namespaced: spec.scope === 'Namespaced',
  });
});

test('paths are those of the API', () => {
  const paths = ['v1 Pod', 'v1 Namespace', 'apps/v1 Deployment', 'gateway.networking.k8s.io/v1 GatewayClass'].map(
    (name) => {
      const [apiVersion = '', kind = ''] = name.split(' ');
      return collectionPath(resourceOf(apiVersion, kind), 'team');
    },
  );

  expect(paths).toEqual([
    '/api/v1/namespaces/team/pods',
    '/api/v1/namespaces',
    '/apis/apps/v1/namespaces/team/deployments',
    '/apis/gateway.networking.k8s.io/v1/gatewayclasses',
  ]);
  expect(collectionPath(resourceOf('v1', 'Pod'), undefined)).toBe('/api/v1/pods');
  expect(objectPath(resourceOf('v1', 'Pod'), 'a', 'team', 'status')).toBe('/api/v1/namespaces/team/pods/a/status');
});

test('each is there once, and those of one name in two groups are told apart', () => {
  const names = RESOURCES.map((resource) => `${resourceName(resource)}/${resource.version}`);

  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['events/v1', 'events.events.k8s.io/v1']));
});

test('a kind that is not known is refused by name', () => {
  expect(() => resourceOf('batch/v1', 'Job')).toThrow('batch/v1 Job is not a kind that the gateway knows');
});
