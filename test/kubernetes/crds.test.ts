import { pino } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '../../runtime/controller/crds/custom-resource-definition';
import { type CrdResult, type InstallCrdsOptions, installCrds } from '../../runtime/controller/crds/install-crds';
import { readShippedCrds } from '../../runtime/controller/crds/read-shipped-crds';
import type { CrdBundle, ShippedCrd } from '../../runtime/controller/crds/shipped-crd';
import { waitForCrds } from '../../runtime/controller/crds/wait-for-crds';
import type { ApiClient } from '../../runtime/kubernetes/api-client';
import { systemClock } from '../../runtime/kubernetes/clock';
import type { HttpApiClient } from '../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../runtime/kubernetes/resources';
import { createServedResources } from '../../runtime/kubernetes/served-resources';
import { accessAs, connect } from './support/api-client';
import { type ControlPlane, startControlPlane } from './support/control-plane/control-plane';
import { setUpNetwork, tearDownNetwork } from './support/network';
import { makeRunFolder } from './support/run-folder';
import { until } from './support/until';

const BUNDLES: readonly CrdBundle[] = ['gateway-api', 'envoy-gateway', 'inference-extension', 'inference-gateway'];
const BUNDLE_VERSION = 'gateway.networking.k8s.io/bundle-version';
const CHANNEL = 'gateway.networking.k8s.io/channel';
const HTTP_ROUTES = 'httproutes.gateway.networking.k8s.io';
const CONFIGS = 'inferencegatewayconfigs.inference.sagemaker.aws.amazon.com';

let controlPlane: ControlPlane;
let api: HttpApiClient;
let shipped: readonly ShippedCrd[];

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
  api = connect(controlPlane.access);
  shipped = await readShippedCrds();
});
afterAll(async () => {
  await api?.close();
  await controlPlane.close();
  await tearDownNetwork();
});

test('on a fresh cluster all are created and established; whoever waits for them waits until all are served, whatever its roles', async () => {
  const served = createServedResources({
    access: accessAs(controlPlane.access, 'nobody'),
    clock: systemClock,
    random: Math.random,
    userAgent: 'test',
    onWarning: () => {},
  });
  const { signal } = new AbortController();
  const waited = waitForCrds(shipped, { served, clock: systemClock, log: pino({ level: 'silent' }), signal });
  let isOver = false;
  void waited.then(() => {
    isOver = true;
  });
  const others = shipped.filter(({ bundle }) => bundle !== 'inference-gateway');
  expect(await install(others)).toEqual(others.map(({ definition }) => created(definition)));
  await systemClock.sleep(1_500);
  expect(isOver).toBe(false);
  const results = await install(shipped);
  await waited;
  await served.close();

  expect(results).toEqual(
    shipped.map(({ definition, bundle }) =>
      bundle === 'inference-gateway'
        ? created(definition)
        : { name: definition.metadata.name, action: 'kept', why: 'same' },
    ),
  );
  for (const { definition } of shipped) {
    const conditions = (await crd(definition.metadata.name)).status?.conditions ?? [];
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  }
}, 180_000);

test('what the API server made of them is the same as what is shipped', async () => {
  const before = await versions();
  const results = await install(shipped);
  expect(results.map(({ name, ...result }) => [name, result])).toEqual(
    shipped.map(({ definition }) => [definition.metadata.name, { action: 'kept', why: 'same' }]),
  );
  expect(await versions()).toEqual(before);
});

test('older ones are brought up to date, and their objects stay', async () => {
  const route = await api.create(resourceOf('gateway.networking.k8s.io/v1', 'HTTPRoute'), {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'kept', namespace: 'default' },
    spec: { rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v1' } }] }] },
  });
  const names = [
    HTTP_ROUTES,
    'envoyproxies.gateway.envoyproxy.io',
    'inferencepools.inference.networking.k8s.io',
    CONFIGS,
  ];
  for (const name of names) {
    await replace(name, (definition) => {
      const annotations = {
        ...definition.metadata.annotations,
        [BUNDLE_VERSION]: 'v1.5.0',
        'inference.networking.k8s.io/bundle-version': 'v1.4.0',
        'inference.sagemaker.aws.amazon.com/crd-release': 'v0.0.9',
      };
      return withoutStatusField({ ...definition, metadata: { ...definition.metadata, annotations } });
    });
  }

  const results = await install(shipped);

  expect(
    results
      .filter(({ action }) => action !== 'kept')
      .map(({ name, action }) => [name, action])
      .sort(),
  ).toEqual(names.map((name) => [name, 'upgraded']).sort());
  expect((await crd(HTTP_ROUTES)).metadata.annotations?.[BUNDLE_VERSION]).toBe('v1.6.1');
  expect((await install(shipped)).every((result) => result.action === 'kept' && result.why === 'same')).toBe(true);
  const read = await api.get(resourceOf('gateway.networking.k8s.io/v1', 'HTTPRoute'), 'kept', 'default');
  expect(read?.spec).toEqual(route.spec);
});

test('a newer one and one of the experimental channel stay as they are', async () => {
  await annotate(HTTP_ROUTES, { [BUNDLE_VERSION]: 'v1.9.0' });
  await annotate('gateways.gateway.networking.k8s.io', { [BUNDLE_VERSION]: 'v1.5.0', [CHANNEL]: 'experimental' });
  await annotate(CONFIGS, { 'inference.sagemaker.aws.amazon.com/crd-release': 'v9.0.0' });
  for (const name of [HTTP_ROUTES, 'gateways.gateway.networking.k8s.io', CONFIGS])
    await replace(name, withoutStatusField);
  const before = await versions();

  const results = await install(shipped);

  expect(of(results, HTTP_ROUTES)).toMatchObject({ action: 'kept', why: 'newer' });
  expect(of(results, 'gateways.gateway.networking.k8s.io')).toMatchObject({ action: 'kept', why: 'other-channel' });
  // The controller could not write its status.
  expect(of(results, CONFIGS)).toMatchObject({ action: 'refused', fault: { reason: 'FieldsMissing' } });
  expect(await versions()).toEqual(before);
});

describe('an incompatible one is refused, and nothing is changed', () => {
  test('where it does not serve the version that is used', async () => {
    await recreate(HTTP_ROUTES, (definition) =>
      withVersions(definition, [{ ...storageVersion(definition), name: 'v2' }]),
    );
    await annotate(HTTP_ROUTES, { [BUNDLE_VERSION]: 'v2.0.0' });
    await refusedUnchanged(
      HTTP_ROUTES,
      'VersionNotServed',
      /does not serve v1, which the gateway uses \(it serves v2\)/,
    );
  });

  test('where objects may be stored in a version that is gone, which the API server refuses as well', async () => {
    await recreate(HTTP_ROUTES, (definition) => {
      const version = storageVersion(definition);
      return withVersions(definition, [
        { ...version, name: 'v1alpha0' },
        { ...version, storage: false },
      ]);
    });
    await annotate(HTTP_ROUTES, { [BUNDLE_VERSION]: 'v1.0.0' });
    await refusedUnchanged(HTTP_ROUTES, 'StoredVersion', /stored as v1alpha0/);
    const forced = api.apply(CUSTOM_RESOURCE_DEFINITIONS, shippedAs(HTTP_ROUTES).definition, {
      fieldManager: 'somebody',
      force: true,
      dryRun: true,
    });
    await expect(forced).rejects.toThrow(/storedVersions/);
  });

  test("where another owner's InferenceGatewayConfig lacks a field of the contract", async () => {
    await recreate(CONFIGS, (definition) => {
      const text = JSON.stringify(definition).replaceAll('"loraAdapters":{', '"adapters":{');
      const { annotations: _, ...metadata } = definition.metadata;
      return { ...JSON.parse(text), metadata };
    });
    await refusedUnchanged(CONFIGS, 'FieldsMissing', /has no spec\.schedulers\.\*\.loraAdapters in v1alpha1/);
  });

  test('while it is being deleted; and it is created as soon as it is gone', async () => {
    const name = 'inferenceobjectives.inference.networking.x-k8s.io';
    const objectives = resourceOf('inference.networking.x-k8s.io/v1alpha2', 'InferenceObjective');
    const objective: KubernetesObject = {
      apiVersion: 'inference.networking.x-k8s.io/v1alpha2',
      kind: 'InferenceObjective',
      metadata: { name: 'held', namespace: 'default', finalizers: ['example.com/held'] },
      spec: { poolRef: { name: 'pool' } },
    };
    await api.create(objectives, objective);
    await api.delete(CUSTOM_RESOURCE_DEFINITIONS, name, undefined);
    await refusedUnchanged(name, 'Terminating', /being deleted/);

    const again = install([shippedAs(name)], { timeoutMs: 30_000 });
    const present = await api.get(objectives, 'held', 'default');
    await api.replace(objectives, { ...present!, metadata: { ...present!.metadata, finalizers: [] } });
    expect(await again).toEqual([{ name, action: 'created' }]);
  });

  test('where the names are taken', async () => {
    const name = 'backends.gateway.envoyproxy.io';
    await remove(name);
    const other = { ...shippedAs(name).definition, metadata: { name: 'others.gateway.envoyproxy.io' } };
    const names = { kind: 'Backend', listKind: 'OtherList', plural: 'others', singular: 'other' };
    await api.create(CUSTOM_RESOURCE_DEFINITIONS, { ...other, spec: { ...other.spec, names } } as KubernetesObject);
    await until('the other one is established', async () => established('others.gateway.envoyproxy.io'));
    const [result] = await install([shippedAs(name)], { timeoutMs: 1_500 });
    expect(result).toMatchObject({ action: 'refused', fault: { reason: 'NotEstablished' } });
    await remove('others.gateway.envoyproxy.io');
  });
});

test('a controller that may not write says so, and goes on with what is there', async () => {
  const names = ['grpcroutes.gateway.networking.k8s.io', 'tcproutes.gateway.networking.k8s.io'];
  await remove(names[0]!);
  const user = await userWhoReads();
  const results = await install(names.map(shippedAs), {}, user);
  await user.close();
  expect(results).toMatchObject([
    {
      action: 'refused',
      fault: { reason: 'Forbidden', message: expect.stringMatching(/allow it to create and patch/) },
    },
    { action: 'kept', why: 'same' },
  ]);
});

function install(
  crds: readonly ShippedCrd[],
  changes: Partial<InstallCrdsOptions> = {},
  client: ApiClient = api,
): Promise<CrdResult[]> {
  return installCrds(client, crds, {
    fieldManager: 'inference-gateway-controller',
    managed: new Set(BUNDLES),
    timeoutMs: 20_000,
    clock: systemClock,
    signal: new AbortController().signal,
    ...changes,
  });
}

async function refusedUnchanged(name: string, reason: string, message: RegExp): Promise<void> {
  const { generation } = (await crd(name)).metadata;
  expect(await install([shippedAs(name)], { timeoutMs: 500 })).toEqual([
    { name, action: 'refused', fault: { reason, message: expect.stringMatching(message) } },
  ]);
  expect((await crd(name)).metadata.generation).toBe(generation);
}

function created({ metadata }: CustomResourceDefinition): CrdResult {
  return { name: metadata.name, action: 'created' };
}

function shippedAs(name: string): ShippedCrd {
  return shipped.find(({ definition }) => definition.metadata.name === name)!;
}

function of(results: readonly CrdResult[], name: string): CrdResult | undefined {
  return results.find((result) => result.name === name);
}

async function crd(name: string): Promise<CustomResourceDefinition> {
  return (await api.get(CUSTOM_RESOURCE_DEFINITIONS, name)) as CustomResourceDefinition;
}

async function established(name: string): Promise<boolean> {
  const conditions = (await crd(name)).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

/** Generations: annotations and status do not count. */
async function versions(): Promise<ReadonlyMap<string, unknown>> {
  const { items } = await api.list(CUSTOM_RESOURCE_DEFINITIONS, {});
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.generation]));
}

async function replace(
  name: string,
  edit: (definition: CustomResourceDefinition) => CustomResourceDefinition,
): Promise<void> {
  // The API server writes its status in the meantime.
  await until(`${name} is replaced`, async () => api.replace(CUSTOM_RESOURCE_DEFINITIONS, edit(await crd(name))));
}

async function annotate(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  await replace(name, (definition) => ({
    ...definition,
    metadata: { ...definition.metadata, annotations: { ...definition.metadata.annotations, ...annotations } },
  }));
}

async function recreate(
  name: string,
  edit: (definition: CustomResourceDefinition) => CustomResourceDefinition,
): Promise<void> {
  await remove(name);
  await api.create(CUSTOM_RESOURCE_DEFINITIONS, edit(shippedAs(name).definition));
  await until(`${name} is established`, () => established(name));
}

async function remove(name: string): Promise<void> {
  await api.delete(CUSTOM_RESOURCE_DEFINITIONS, name, undefined);
  await until(`${name} is gone`, async () => (await crd(name)) === undefined, { timeout: 90_000 });
}

/** Of the versions, each loses `status` from its schema. */
function withoutStatusField(definition: CustomResourceDefinition): CustomResourceDefinition {
  return withVersions(
    definition,
    definition.spec.versions.map((version) => {
      const { properties, ...schema } = version.schema!.openAPIV3Schema as { properties: Record<string, unknown> };
      const { status: _, ...others } = properties;
      return { ...version, schema: { openAPIV3Schema: { ...schema, properties: others } } };
    }),
  );
}

function withVersions(
  definition: CustomResourceDefinition,
  versions: CustomResourceDefinition['spec']['versions'],
): CustomResourceDefinition {
  return { ...definition, spec: { ...definition.spec, versions } };
}

function storageVersion(definition: CustomResourceDefinition): CustomResourceDefinition['spec']['versions'][number] {
  return definition.spec.versions.find(({ storage }) => storage)!;
}

async function userWhoReads(): Promise<HttpApiClient> {
  const role = 'rbac.authorization.k8s.io/v1';
  await api.create(resourceOf(role, 'ClusterRole'), {
    apiVersion: role,
    kind: 'ClusterRole',
    metadata: { name: 'crd-reader' },
    rules: [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] }],
  });
  await api.create(resourceOf(role, 'ClusterRoleBinding'), {
    apiVersion: role,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'crd-reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'crd-reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
  });
  return connect(controlPlane.access, 'reader');
}
