import { crdMarks } from '../../../../runtime/controller/crds/crd-marks';
import { decideCrd } from '../../../../runtime/controller/crds/decide-crd';
import { readShippedCrds } from '../../../../runtime/controller/crds/read-shipped-crds';
import { missingFields, schemaFields } from '../../../../runtime/controller/crds/schema-fields';
import { CRD_USES } from '../../../../runtime/controller/crds/uses';

const shipped = readShippedCrds();

test('they are those of the four bundles, each once', async () => {
  const count = (bundle: string) => shipped.then((crds) => crds.filter((crd) => crd.bundle === bundle).length);
  expect(await count('gateway-api')).toBe(10);
  expect(await count('envoy-gateway')).toBe(8);
  expect(await count('inference-extension')).toBe(3);
  expect(await count('inference-gateway')).toBe(1);
  const names = (await shipped).map(({ definition }) => definition.metadata.name);
  expect(new Set(names).size).toBe(names.length);
});

test('those that name their release name the one that they are shipped as', async () => {
  for (const { bundle, release, definition } of await shipped) {
    if (bundle !== 'envoy-gateway') expect(crdMarks(definition, bundle).release).toBe(release);
  }
});

test('Gateway API is of the standard channel', async () => {
  const channels = (await shipped)
    .filter(({ bundle }) => bundle === 'gateway-api')
    .map(({ definition }) => crdMarks(definition, 'gateway-api').channel);
  expect(new Set(channels)).toEqual(new Set(['standard']));
});

test('they have what the gateway uses of them', async () => {
  const byName = new Map((await shipped).map((crd) => [crd.definition.metadata.name, crd.definition]));
  for (const [name, { version, fields }] of Object.entries(CRD_USES)) {
    const definition = byName.get(name)!;
    expect({ name, missing: missingFields(fields, schemaFields(definition, version)) }).toEqual({ name, missing: [] });
    expect(definition.spec.versions.find((candidate) => candidate.name === version)?.served).toBe(true);
  }
});

test('the definition of ours needs no field that the published contract does not have', () => {
  const { fields } = CRD_USES['inferencegatewayconfigs.inference.sagemaker.aws.amazon.com']!;
  expect(fields).toContain('spec.schedulers.*.modelName');
  expect(fields).toContain('status.conditions.*.reason');
  expect(fields.filter((path) => /overload|flowControl|explain|profile/.test(path))).toEqual([]);
});

test('each is the same as itself', async () => {
  for (const crd of await shipped) expect(decideCrd(crd, crd.definition)).toEqual({ action: 'keep', why: 'same' });
});

test('one of Envoy Gateway is older with a field less, and unusable with another name for a field that is used', async () => {
  for (const crd of await shipped) {
    if (crd.bundle !== 'envoy-gateway' || crd.use === undefined) continue;
    const less = edited(crd.definition, (text) => text.replace('"metadata":{"type":"object"},', ''));
    expect(decideCrd(crd, less)).toEqual({ action: 'upgrade' });
    const used = crd.use.fields.at(-1)!.split('.').at(-1)!;
    const renamed = edited(crd.definition, (text) => text.replaceAll(`"${used}":{`, '"another":{'));
    expect(decideCrd(crd, renamed)).toMatchObject({ action: 'refuse', fault: { reason: 'FieldsMissing' } });
  }
});

function edited<T>(definition: T, edit: (text: string) => string): T {
  return JSON.parse(edit(JSON.stringify(definition)));
}
