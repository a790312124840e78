import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../../runtime/controller/crds/custom-resource-definition';
import { installCrds } from '../../../../runtime/controller/crds/install-crds';
import type { CrdBundle, ShippedCrd } from '../../../../runtime/controller/crds/shipped-crd';
import { manualClock } from '../support/manual-clock';
import { refused } from '../support/memory-api';
import { CrdApi } from './support/crd-api';
import { type DefinitionParts, definition, published, shippedCrd } from './support/definitions';

const NAMES = ['a.example.com', 'b.example.com', 'c.example.com'];
const release = (version: string, parts: DefinitionParts = {}) => ({
  annotations: published['gateway-api'](version),
  ...parts,
});
const shipped = NAMES.map((name) => shippedCrd('gateway-api', 'v1.6.1', { name, ...release('v1.6.1') }));
const one = shipped.slice(0, 1);

test('what is missing is created, with marks of its release and content', async () => {
  const api = new CrdApi();
  expect(await install(api, shipped)).toEqual(NAMES.map((name) => ({ name, action: 'created' })));
  expect(api.annotations('a.example.com')).toMatchObject({
    'gateway.networking.k8s.io/bundle-version': 'v1.6.1',
    'inference.sagemaker.aws.amazon.com/crd-release': 'v1.6.1',
    'inference.sagemaker.aws.amazon.com/crd-content': expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});

test('a second time nothing is written', async () => {
  const api = new CrdApi();
  await install(api, shipped);
  api.writes.length = 0;
  expect(await install(api, shipped)).toEqual(NAMES.map((name) => ({ name, action: 'kept', why: 'same' })));
  expect(api.writes).toEqual([]);
});

test('an older one is replaced, a newer one stays, and what cannot be used is refused beside them', async () => {
  const api = new CrdApi();
  api.install(definition({ name: NAMES[0]!, ...release('v1.5.0', { fields: ['color'] }) }));
  api.install(definition({ name: NAMES[1]!, ...release('v1.7.0', { fields: ['color', 'size', 'new'] }) }));
  api.install(definition({ name: NAMES[2]!, ...release('v2.0.0', { versions: ['v2'] }) }));
  expect(await install(api, shipped)).toMatchObject([
    { name: 'a.example.com', action: 'upgraded' },
    { name: 'b.example.com', action: 'kept', why: 'newer' },
    { name: 'c.example.com', action: 'refused', fault: { reason: 'VersionNotServed' } },
  ]);
  expect(api.writes).toEqual(['apply CustomResourceDefinition /a.example.com']);
});

test.each([1, 2, 3, 4, 5, 6])('a crash at request %i is made good by the next run', async (crashAt) => {
  const api = new CrdApi();
  api.install(definition({ name: NAMES[1]!, ...release('v1.5.0', { fields: ['color'] }) }));
  let requests = 0;
  api.mishap = () => {
    requests += 1;
    return requests === crashAt ? { when: 'before', error: new Error('killed') } : undefined;
  };
  await expect(install(api, shipped)).rejects.toThrow('killed');
  expect((await install(api, shipped)).every(({ action }) => action !== 'refused')).toBe(true);
  const versions = NAMES.map((name) => api.annotations(name)['gateway.networking.k8s.io/bundle-version']);
  expect(versions).toEqual(['v1.6.1', 'v1.6.1', 'v1.6.1']);
});

test.each([
  ['creates', undefined],
  ['replaces', 'v1.5.0'],
])('somebody who installs a newer one just before the controller %s it is not overwritten', async (_, before) => {
  const api = new CrdApi();
  if (before !== undefined) api.install(definition({ name: NAMES[0]!, ...release(before, { fields: ['color'] }) }));
  api.mishap = ({ verb }) => {
    if (verb === 'get') return undefined;
    api.mishap = () => undefined;
    api.install(definition({ name: NAMES[0]!, ...release('v1.7.0', { fields: ['color', 'new'] }) }));
    return undefined;
  };
  expect(await install(api, one)).toEqual([{ name: 'a.example.com', action: 'kept', why: 'newer' }]);
});

test('those of a bundle that others install are not written', async () => {
  const api = new CrdApi();
  expect(await install(api, one, { managed: new Set() })).toMatchObject([{ fault: { reason: 'Absent' } }]);
  expect(api.writes).toEqual([]);
});

test('one that is being deleted is created once it is gone', async () => {
  const api = new CrdApi();
  api.install(definition({ name: NAMES[0]!, ...release('v1.6.1'), terminating: true }));
  const clock = manualClock();
  const gone = {
    ...clock,
    sleep: async (ms: number) => {
      api.cluster.delete(CUSTOM_RESOURCE_DEFINITIONS, NAMES[0]!);
      await clock.sleep(ms);
    },
  };
  expect(await install(api, one, { clock: gone })).toEqual([{ name: 'a.example.com', action: 'created' }]);
});

test.each<[string, (api: CrdApi) => void, object]>([
  [
    'Terminating',
    (api) => api.install(definition({ name: NAMES[0]!, ...release('v1.6.1'), terminating: true })),
    { message: expect.stringContaining('being deleted') },
  ],
  ['Forbidden', refusing(403), { message: expect.stringContaining('allow it to create and patch') }],
  ['Rejected', refusing(422), { message: expect.stringContaining('remove what forbids it') }],
  ['Contended', refusing(409), { message: expect.stringContaining('a.example.com') }],
  [
    'NotEstablished',
    (api) => {
      api.status = { conditions: [{ type: 'NamesAccepted', status: 'False', message: '"things" is taken' }] };
    },
    { message: expect.stringContaining('"things" is taken') },
  ],
])('after the time-out the fault is %s', async (reason, prepare, fault) => {
  const api = new CrdApi();
  prepare(api);
  expect(await install(api, one)).toEqual([
    { name: 'a.example.com', action: 'refused', fault: expect.objectContaining({ reason, ...fault }) },
  ]);
});

test('an API server that cannot be asked is no judgement', async () => {
  const api = new CrdApi();
  refusing(503)(api);
  await expect(install(api, one)).rejects.toMatchObject({ code: 503 });
});

function refusing(code: number): (api: CrdApi) => void {
  return (api) => {
    api.mishap = ({ verb }) =>
      verb === 'get' ? undefined : { when: 'before', error: refused(code, 'Refused', 'not now') };
  };
}

function install(api: CrdApi, crds: readonly ShippedCrd[], changes: Partial<Parameters<typeof installCrds>[2]> = {}) {
  return installCrds(api, crds, {
    fieldManager: 'controller',
    managed: new Set<CrdBundle>(['gateway-api']),
    timeoutMs: 5000,
    clock: manualClock(),
    signal: new AbortController().signal,
    ...changes,
  });
}
