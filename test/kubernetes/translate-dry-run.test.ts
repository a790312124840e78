import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { installCrds } from '../../runtime/controller/crds/install-crds';
import { readShippedCrds } from '../../runtime/controller/crds/read-shipped-crds';
import { systemClock } from '../../runtime/kubernetes/clock';
import type { HttpApiClient } from '../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../runtime/kubernetes/resources';
import { CASES, FOLDER } from '../controller/golden-case';
import { connect } from './support/api-client';
import { type ControlPlane, startControlPlane } from './support/control-plane/control-plane';
import { kubectlOf } from './support/kubectl';
import { setUpNetwork, tearDownNetwork } from './support/network';
import { makeRunFolder } from './support/run-folder';

/** Kinds of others, of which the test has no schema. */
const UNKNOWN_SCHEMAS = ['Certificate', 'Issuer', 'TargetGroupBinding'];

let controlPlane: ControlPlane;
let api: HttpApiClient;

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
  api = connect(controlPlane.access);
  const results = await installCrds(api, await readShippedCrds(), {
    fieldManager: 'inference-gateway-controller',
    managed: new Set(['gateway-api', 'envoy-gateway', 'inference-extension', 'inference-gateway']),
    timeoutMs: 60_000,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  expect(results.filter(({ action }) => action !== 'created')).toEqual([]);
});
afterAll(async () => {
  await api?.close();
  await controlPlane.close();
  await tearDownNetwork();
});

/** What is made of each golden case is what the API server takes, by all rules of the kinds. */
test.each(CASES)('the API server takes everything of %s', async (name) => {
  const objects = documents(join(FOLDER, `${name}.out.yaml`)).filter(
    ({ kind }) => kind !== undefined && !UNKNOWN_SCHEMAS.includes(kind),
  );
  await namespaces(objects);
  const refused: string[] = [];
  for (const object of objects) {
    try {
      const resource = resourceOf(object.apiVersion, object.kind);
      await api.apply(resource, object, { fieldManager: 'test', force: true, dryRun: true });
    } catch (error) {
      refused.push(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
    }
  }
  expect(refused).toEqual([]);
});

/** Unknown fields are dropped by an apply, and refused by a strict one: nothing that is written may be lost. */
test.each(CASES)('no field of %s is unknown to its kind', async (name) => {
  const objects = documents(join(FOLDER, `${name}.out.yaml`)).filter(
    ({ kind }) => kind !== undefined && !UNKNOWN_SCHEMAS.includes(kind),
  );
  if (objects.length === 0) return;
  await namespaces(objects);
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const kubectl = kubectlOf(controlPlane.kubeconfig);
  const printed = await kubectl(['create', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', '-'], text);
  expect(printed.trim().split('\n')).toHaveLength(objects.length);
});

function documents(path: string): readonly KubernetesObject[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as KubernetesObject);
}

async function namespaces(objects: readonly KubernetesObject[]): Promise<void> {
  const names = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of names) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await api.apply(resourceOf('v1', 'Namespace'), namespace, { fieldManager: 'test' });
  }
}
