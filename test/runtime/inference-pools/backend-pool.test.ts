import { GATEWAY_LABEL, MANAGED_BY_LABEL, MANAGER } from '../../../lib/translate/cluster/names';
import {
  BODY_MODE_ANNOTATION,
  backendPool,
  type InferencePoolObject,
} from '../../../runtime/inference-pools/backend-pool';

type Spec = InferencePoolObject['spec'];
type Metadata = Partial<InferencePoolObject['metadata']>;

const PICKER = { name: 'epp', port: { number: 9002 } };

function of(spec: Spec, metadata: Metadata = {}) {
  return backendPool({
    apiVersion: 'inference.networking.k8s.io/v1',
    kind: 'InferencePool',
    metadata: { name: 'llama', namespace: 'models', ...metadata },
    spec,
  });
}
const pickerOf = (reference: Spec['endpointPickerRef'], metadata: Metadata = {}) =>
  of(reference ? { endpointPickerRef: reference } : {}, metadata).picker;

test('a pool without a picker is balanced without one', () => {
  expect(of({})).toEqual({ namespace: 'models', name: 'llama', http2: false });
});

test.each([
  ['kubernetes.io/h2c', true],
  ['http', false],
  [undefined, false],
])('pods of appProtocol %s are spoken to in HTTP/2 over plain TCP: %s', (appProtocol, http2) => {
  expect(of(appProtocol === undefined ? {} : { appProtocol }).http2).toBe(http2);
});

test.each([
  ['as nothing says otherwise', PICKER],
  ['as its group and kind say', { group: '', kind: 'Service', ...PICKER }],
])('a picker is a Service, %s', (_, reference) => {
  expect(pickerOf(reference)).toMatchObject({ service: { name: 'epp', port: 9002 } });
});

test.each([
  ['of another kind', { ...PICKER, kind: 'Deployment' }],
  ['of another group', { ...PICKER, group: 'example.com' }],
  ['without a port', { name: 'epp' }],
])('a picker %s is there, and nobody can be asked', (_, reference) => {
  expect(pickerOf(reference)).toEqual({ failsOpen: false, bodies: 'full-duplex', isOurs: false });
});

test.each([
  ['FailOpen', true],
  ['FailClose', false],
  [undefined, false],
])('with failureMode %s requests go on without a picker: %s', (failureMode, failsOpen) => {
  expect(pickerOf(failureMode === undefined ? PICKER : { ...PICKER, failureMode })).toMatchObject({ failsOpen });
});

describe('how bodies go to the picker', () => {
  const ours = { [MANAGED_BY_LABEL]: MANAGER, [GATEWAY_LABEL]: 'gw' };
  const asking = (mode: string) => ({ [BODY_MODE_ANNOTATION]: mode });

  test.each<[string, Metadata, string]>([
    ['of anybody', {}, 'full-duplex'],
    ['of this gateway', { labels: ours }, 'buffered'],
    ['that only looks like one of this gateway', { labels: { [GATEWAY_LABEL]: 'gw' } }, 'full-duplex'],
    ['that is managed for no gateway', { labels: { [MANAGED_BY_LABEL]: MANAGER } }, 'full-duplex'],
    ['of anybody that asks for all of it', { annotations: asking('Buffered') }, 'buffered'],
    [
      'of this gateway that asks for pieces',
      { labels: ours, annotations: asking('FullDuplexStreamed') },
      'full-duplex',
    ],
    ['of this gateway that asks for what there is not', { labels: ours, annotations: asking('Streamed') }, 'buffered'],
    ['of anybody that asks for what there is not', { annotations: asking('buffered') }, 'full-duplex'],
  ])('of a pool %s', (_, metadata, bodies) => {
    expect(pickerOf(PICKER, metadata)).toMatchObject({ bodies });
  });

  test('whose picker it is does not depend on what it asks for', () => {
    const owned = pickerOf(PICKER, { labels: ours, annotations: asking('FullDuplexStreamed') });
    const foreign = pickerOf(PICKER, { annotations: asking('Buffered') });

    expect([owned?.isOurs, foreign?.isOurs]).toEqual([true, false]);
  });
});
