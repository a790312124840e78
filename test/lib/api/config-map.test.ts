import { adapterList, BBR_MANAGED_LABEL, type ConfigMap } from '../../../lib/api/config-map';
import { accepted, refusals } from './support/manifests';

const configMap = (data: unknown, labels: unknown = { [BBR_MANAGED_LABEL]: 'true' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'adapters', labels, somethingNew: 1 },
  data,
  binaryData: {},
});

const listOf = (value: unknown) => adapterList(accepted(value) as unknown as ConfigMap);

test('adapters are read from the YAML list, trimmed, each once', () => {
  expect(
    listOf(configMap({ baseModel: ' base\n', adapters: '- ski-resorts\n- " movie "\n- ski-resorts\n- 1\n' })),
  ).toEqual({
    baseModel: 'base',
    adapters: ['ski-resorts', 'movie', '1'],
  });
});

test('a ConfigMap without the label lists none, and may hold anything', () => {
  const other = configMap({ adapters: '{' }, { app: 'a' });
  expect(refusals(other)).toEqual([]);
  expect(listOf(other)).toBeUndefined();
});

test('a base model without adapters is a base model', () => {
  expect(listOf(configMap({ baseModel: 'base' }))).toEqual({ baseModel: 'base', adapters: [] });
});

test.each<[string, unknown, string]>([
  ['no base model', { adapters: '- a' }, 'data.baseModel: data.baseModel must name the base model'],
  [
    'a blank base model',
    { baseModel: ' ', adapters: '- a' },
    'data.baseModel: data.baseModel must name the base model',
  ],
  [
    'adapters that are no list',
    { baseModel: 'b', adapters: 'a: b' },
    'data.adapters: data.adapters must be a YAML list',
  ],
  [
    'adapters that are no YAML',
    { baseModel: 'b', adapters: '- "a' },
    'data.adapters: data.adapters must be a YAML list',
  ],
  [
    'an adapter without a name',
    { baseModel: 'b', adapters: '- {}' },
    'data.adapters: data.adapters must be a YAML list',
  ],
  ['data that are no text', { baseModel: 'b', adapters: ['a'] }, 'data.adapters: must be a string; got a list of 1'],
])('%s is refused', (_, data, line) => {
  expect(refusals(configMap(data))).toEqual([expect.stringContaining(line)]);
});
