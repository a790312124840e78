import { crdContent } from '../../../../runtime/controller/crds/crd-content';
import { decideCrd } from '../../../../runtime/controller/crds/decide-crd';
import { type DefinitionParts, definition, published, shippedCrd } from './support/definitions';

const gatewayApi = shippedCrd('gateway-api', 'v1.6.1', { annotations: published['gateway-api']('v1.6.1') });
const extension = shippedCrd('inference-extension', 'v1.5.0', {
  annotations: published['inference-extension']('v1.5.0'),
});
const own = shippedCrd('inference-gateway', 'v0.2.0', { annotations: published['inference-gateway']('v0.2.0') });
const envoyGateway = shippedCrd('envoy-gateway', 'v1.9.1', { annotations: published['envoy-gateway']('v0.20.1') });

describe('a definition that is not there', () => {
  test('is created', () => {
    expect(decideCrd(gatewayApi, undefined)).toEqual({ action: 'create' });
  });

  test('is missed where others install it', () => {
    expect(decideCrd(gatewayApi, undefined, false)).toMatchObject({ action: 'refuse', fault: { reason: 'Absent' } });
  });

  test('is not missed where nothing uses it', () => {
    const { use: _, ...unused } = gatewayApi;
    expect(decideCrd(unused, undefined, false)).toEqual({ action: 'keep', why: 'not-used' });
  });
});

const standard = (release: string) => published['gateway-api'](release);
const experimental = (release: string) => published['gateway-api'](release, 'experimental');
const older = { fields: ['color'] };
const newer = { fields: ['color', 'size', 'weight'] };

describe.each<[string, Parameters<typeof decideCrd>[0], DefinitionParts, object]>([
  ['the same', gatewayApi, { annotations: standard('v1.6.1') }, { action: 'keep', why: 'same' }],
  ['an older release', gatewayApi, { annotations: standard('v1.5.1'), ...older }, { action: 'upgrade' }],
  ['an older release with the same content', gatewayApi, { annotations: standard('v1.6.0') }, { action: 'upgrade' }],
  ['a candidate of the release', gatewayApi, { annotations: standard('v1.6.1-rc.1'), ...older }, { action: 'upgrade' }],
  ['a newer release', gatewayApi, { annotations: standard('v1.7.0'), ...newer }, { action: 'keep', why: 'newer' }],
  [
    'a build of a branch',
    gatewayApi,
    { annotations: standard('main-dev'), ...newer },
    { action: 'keep', why: 'unclear' },
  ],
  ['a changed copy', gatewayApi, { annotations: standard('v1.6.1'), ...newer }, { action: 'keep', why: 'unclear' }],
  ['one without marks', gatewayApi, { ...older, annotations: {} }, { action: 'keep', why: 'unclear' }],
  [
    'the experimental channel',
    gatewayApi,
    { annotations: experimental('v1.6.1'), ...newer },
    { action: 'keep', why: 'other-channel' },
  ],
  [
    'an older experimental one',
    gatewayApi,
    { annotations: experimental('v1.5.0'), ...older },
    { action: 'keep', why: 'other-channel' },
  ],
  [
    'an older pool',
    extension,
    { annotations: published['inference-extension']('v1.4.0'), ...older },
    { action: 'upgrade' },
  ],
  [
    'a newer pool',
    extension,
    { annotations: published['inference-extension']('v1.6.0'), ...newer },
    { action: 'keep', why: 'newer' },
  ],
  [
    'an older one of ours',
    own,
    { annotations: published['inference-gateway']('v0.1.0'), ...older },
    { action: 'upgrade' },
  ],
  [
    'a newer one of ours',
    own,
    { annotations: published['inference-gateway']('v0.3.0'), ...newer },
    { action: 'keep', why: 'newer' },
  ],
  ['ours, changed', own, { annotations: published['inference-gateway']('v0.2.0'), ...newer }, { action: 'upgrade' }],
  ['another of our group', own, { annotations: {}, ...older }, { action: 'keep', why: 'foreign' }],
  [
    'fewer fields, no release',
    envoyGateway,
    { annotations: published['envoy-gateway']('v0.20.1'), ...older },
    { action: 'upgrade' },
  ],
  [
    'more fields, no release',
    envoyGateway,
    { annotations: published['envoy-gateway']('v0.18.0'), ...newer },
    { action: 'keep', why: 'newer' },
  ],
  [
    'other fields, an older generator',
    envoyGateway,
    { annotations: published['envoy-gateway']('v0.18.0'), fields: ['color', 'old'] },
    { action: 'upgrade' },
  ],
  [
    'other fields, the same generator',
    envoyGateway,
    { annotations: published['envoy-gateway']('v0.20.1'), fields: ['color', 'old'] },
    { action: 'keep', why: 'unclear' },
  ],
  [
    'other words, the same generator',
    envoyGateway,
    { annotations: published['envoy-gateway']('v0.20.1'), description: 'x' },
    { action: 'keep', why: 'unclear' },
  ],
])('beside %s', (_, shipped, present, decision) => {
  test(`it is ${JSON.stringify(decision)}`, () => {
    expect(decideCrd(shipped, definition(present))).toEqual(decision);
  });
});

describe('one that the controller has applied', () => {
  const applied = (parts: DefinitionParts, release: string, content = crdContent(definition(parts))) =>
    definition({
      ...parts,
      annotations: {
        ...published['envoy-gateway']('v0.20.1'),
        'inference.sagemaker.aws.amazon.com/crd-release': release,
        'inference.sagemaker.aws.amazon.com/crd-content': content,
      },
    });

  test('has the release that it was applied as', () => {
    expect(decideCrd(envoyGateway, applied(newer, 'v1.9.0'))).toEqual({ action: 'upgrade' });
    expect(decideCrd(envoyGateway, applied(older, 'v1.9.2'))).toEqual({ action: 'keep', why: 'newer' });
  });

  test('says nothing any more once somebody has replaced it', () => {
    const replaced = applied(newer, 'v1.9.0', crdContent(definition(older)));
    expect(decideCrd(envoyGateway, replaced)).toEqual({ action: 'keep', why: 'newer' });
  });
});

describe('is refused, with what to do,', () => {
  test.each<[string, Parameters<typeof decideCrd>[0], DefinitionParts, string, RegExp]>([
    [
      'where a newer release no longer serves what is used',
      gatewayApi,
      { annotations: standard('v2.0.0'), versions: ['v2'] },
      'VersionNotServed',
      /things\.example\.com does not serve v1, .*it serves v2.*install the definitions of Gateway API v1\.6\.1 or later/,
    ],
    [
      'where the experimental channel lacks a field that is used',
      gatewayApi,
      { annotations: experimental('v1.0.0'), fields: ['size'] },
      'FieldsMissing',
      /has no spec\.color in v1, .*Gateway API v1\.6\.1 or later/,
    ],
    [
      'where another definition of our group lacks a field that is used',
      own,
      { annotations: {}, fields: ['size'] },
      'FieldsMissing',
      /has no spec\.color .*whoever installed it/,
    ],
    [
      'where objects may be stored in a version that is gone',
      gatewayApi,
      { annotations: standard('v1.5.0'), ...older, storedVersions: ['v1', 'v1beta1'] },
      'StoredVersion',
      /stored as v1beta1.*remove the version from status\.storedVersions/,
    ],
    [
      'while it is being deleted',
      gatewayApi,
      { annotations: standard('v1.6.1'), terminating: true },
      'Terminating',
      /being deleted: wait/,
    ],
  ])('%s', (_, shipped, present, reason, message) => {
    expect(decideCrd(shipped, definition(present))).toEqual({
      action: 'refuse',
      fault: { reason, message: expect.stringMatching(message) },
    });
  });
});

test('what others install is only looked at', () => {
  const present = definition({ annotations: standard('v1.5.0'), ...older });
  expect(decideCrd(gatewayApi, present, false)).toEqual({ action: 'keep', why: 'not-managed' });
  const lacking = definition({ annotations: standard('v1.5.0'), fields: ['size'] });
  expect(decideCrd(gatewayApi, lacking, false)).toMatchObject({ fault: { reason: 'FieldsMissing' } });
});

test('what nothing uses is never a reason to refuse', () => {
  const { use: _, ...unused } = gatewayApi;
  const present = definition({ annotations: standard('v1.5.0'), ...older, storedVersions: ['v1beta1'] });
  expect(decideCrd(unused, present)).toEqual({ action: 'keep', why: 'not-used' });
});
