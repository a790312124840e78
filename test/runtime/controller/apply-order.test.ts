import { applyWaves, pruneWaves } from '../../../runtime/controller/apply-order';

const object = (kind: string) => ({ apiVersion: 'v1', kind, metadata: { name: 'a' } });
const kinds = (waves: ReadonlyArray<ReadonlyArray<{ kind: string }>>) =>
  waves.map((wave) => wave.map(({ kind }) => kind));

test('what others rely on comes first; a kind that is not known comes before routes', () => {
  const objects = ['HTTPRoute', 'Deployment', 'Unknown', 'SecurityPolicy', 'ServiceAccount', 'Service', 'Gateway'].map(
    object,
  );

  expect(kinds(applyWaves(objects))).toEqual([
    ['ServiceAccount'],
    ['Service'],
    ['Deployment'],
    ['SecurityPolicy'],
    ['Unknown', 'Gateway'],
    ['HTTPRoute'],
  ]);
});

test('it goes in the opposite order', () => {
  expect(kinds(pruneWaves(['Service', 'HTTPRoute', 'Role'].map(object)))).toEqual([
    ['HTTPRoute'],
    ['Service'],
    ['Role'],
  ]);
});
