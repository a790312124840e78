import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { PickerReference } from '../../../runtime/objects/config-needs';
import { GoodObjects } from '../../../runtime/objects/good-objects';

const adapters = (text: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'adapters', namespace: 'team', labels: { 'inference.networking.k8s.io/bbr-managed': 'true' } },
  data: { baseModel: 'llama', adapters: text },
});
const pickerFile = (data: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'picker', namespace: 'team' },
  data,
});
const FILE =
  'apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n';
const REFERENCE: PickerReference = { index: 1, scheduler: 'qwen', type: 'epp', name: 'picker', key: 'a.yaml' };

let good: GoodObjects;
beforeEach(() => {
  good = new GoodObjects();
});

test('good objects count as they are', () => {
  const object = adapters('- sql');
  expect(good.choose([object], [])).toEqual({ objects: [object], followed: new Set(), faults: [] });
});

test('a faulty object is left out until it was good once, and then counts as it was before', () => {
  const [fine, faulty] = [adapters('- sql'), adapters('sql: 1')];
  const first = good.choose([faulty], []);
  expect(first.objects).toEqual([]);
  expect(first.faults).toEqual([expect.stringMatching(/^configmaps\/adapters data\.adapters: .*; it is left out$/)]);
  good.choose([fine], []);
  const later = good.choose([faulty], []);
  expect(later.objects).toEqual([fine]);
  expect(later.faults).toEqual([expect.stringMatching(/it counts as it was before$/)]);
  expect(good.choose([faulty], []).objects).toEqual([fine]);
});

test('an object that is deleted is gone, and what it was is forgotten', () => {
  good.choose([adapters('- sql')], []);
  expect(good.choose([], []).objects).toEqual([]);
  expect(good.choose([adapters('sql: 1')], []).objects).toEqual([]);
});

test('a ConfigMap that a scheduler refers to must have its key, and a file in it that can be used', () => {
  expect(good.choose([pickerFile({ 'a.yaml': FILE })], [REFERENCE]).followed).toEqual(new Set([REFERENCE]));
  for (const data of [{ 'b.yaml': FILE }, { 'a.yaml': 'kind: Nothing' }]) {
    const fresh = new GoodObjects().choose([pickerFile(data as Record<string, string>)], [REFERENCE]);
    expect(fresh.followed.size).toBe(0);
    expect(fresh.objects).toEqual([]);
    expect(fresh.faults[0]).toMatch(/^configmaps\/picker data.*left out$/);
  }
});

test('one that becomes faulty, or is deleted, goes on counting while it is referred to', () => {
  const fine = pickerFile({ 'a.yaml': FILE });
  good.choose([fine], [REFERENCE]);
  const faulty = good.choose([pickerFile({ 'a.yaml': '{' })], [REFERENCE]);
  expect([faulty.objects, faulty.followed]).toEqual([[fine], new Set([REFERENCE])]);
  const gone = good.choose([], [REFERENCE]);
  expect([gone.objects, gone.followed]).toEqual([[fine], new Set([REFERENCE])]);
  expect(gone.faults).toEqual([
    'configmaps/picker is gone, and scheduler qwen refers to it; it counts as it was before',
  ]);
  expect(good.choose([], []).objects).toEqual([]);
});
