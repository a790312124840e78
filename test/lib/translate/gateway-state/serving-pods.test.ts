import type { Pod } from '../../../../lib/api/pod';
import type { CheckedObject } from '../../../../lib/translate/check-objects';
import { servingPods } from '../../../../lib/translate/gateway-state/serving-pods';
import { podObject } from '../builders';

const SCHEDULER = { name: 'llama', modelSelector: { matchLabels: { app: 'llama' } } };

function checked(
  name: string,
  ip: string | undefined,
  status: object = {},
  metadata: Partial<Pod['metadata']> = {},
): CheckedObject<Pod> {
  const at = podObject(name, 'llama', ip, { namespace: 'default' });
  const object = at.value as Pod;
  const changed = { status: { ...object.status, ...status }, metadata: { ...object.metadata, ...metadata } };
  return { object: { ...object, ...changed }, at };
}

test('by name, those with an address of their own', () => {
  const { serving, warnings } = servingPods(SCHEDULER, [
    checked('c', '10.0.0.2'),
    checked('a', '10.0.0.1'),
    checked('b', undefined),
    checked('d', '10.0.0.1'),
  ]);
  expect(serving.map(({ object }) => object.metadata.name)).toEqual(['a', 'c']);
  expect(warnings).toEqual([
    expect.stringContaining('default/b has no status.podIP yet'),
    expect.stringContaining('default/d has the address 10.0.0.1 of default/a'),
  ]);
});

test('one that has ended is no pod any more: its address may be another’s', () => {
  const pods = [checked('a', '10.0.0.1', { phase: 'Failed' }), checked('b', '10.0.0.1', { phase: 'Running' })];
  const { serving, warnings } = servingPods(SCHEDULER, pods);
  expect(serving.map(({ object }) => object.metadata.name)).toEqual(['b']);
  expect(warnings).toEqual([]);
  expect(servingPods(SCHEDULER, [checked('a', '10.0.0.1', { phase: 'Succeeded' })]).warnings).toEqual([
    'scheduler llama: its modelSelector selects no pod',
  ]);
});

test('an address is of the pod that stays, whatever their names are', () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const pods = [
    checked('a-old', '10.0.0.5', {}, leaving),
    checked('b-new', '10.0.0.5'),
    checked('c-alone', '10.0.0.6', {}, leaving),
  ];
  const { serving, warnings } = servingPods(SCHEDULER, pods);
  expect(serving.map(({ object }) => object.metadata.name)).toEqual(['b-new', 'c-alone']);
  expect(warnings).toEqual([expect.stringContaining('default/a-old has the address 10.0.0.5 of default/b-new')]);
});
