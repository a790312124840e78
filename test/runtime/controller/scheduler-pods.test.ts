import { createSchedulerPods } from '../../../runtime/controller/scheduler-pods';
import { modelPod } from './support/objects';

const selector = { matchExpressions: [{ key: 'model', operator: 'In' as const, values: ['a', 'b'] }] };
const pod = (name: string, model: string, ready = true) => modelPod(name, model, '10.0.0.1', ready) as never;
const names = (pods: ReturnType<typeof createSchedulerPods>) => pods.list().map(({ object }) => object.metadata.name);

test('begins with those that are there, and follows', () => {
  const pods = createSchedulerPods(selector, [pod('1', 'a'), pod('2', 'c')]);
  expect(names(pods)).toEqual(['1']);

  expect(pods.change(undefined, pod('3', 'b'))).toBe(true);
  expect(pods.change(pod('1', 'a'), undefined)).toBe(true);
  expect(names(pods)).toEqual(['3']);
});

test('a pod that it does not select, before or after, is not its concern', () => {
  const pods = createSchedulerPods(selector, []);

  expect(pods.change(undefined, pod('1', 'c'))).toBe(false);
  expect(pods.change(pod('1', 'c'), pod('1', 'd'))).toBe(false);
  expect(pods.change(pod('1', 'd'), undefined)).toBe(false);
});

test('labels may bring a pod in and take it away', () => {
  const pods = createSchedulerPods(selector, []);

  expect(pods.change(pod('1', 'c'), pod('1', 'a'))).toBe(true);
  expect(pods.change(pod('1', 'a'), pod('1', 'c'))).toBe(true);
  expect(names(pods)).toEqual([]);
});

test('a new version that says the same is no change', () => {
  const pods = createSchedulerPods(selector, [pod('1', 'a')]);
  const newer = {
    ...(pod('1', 'a') as { metadata: object }),
    metadata: { name: '1', namespace: 'team', labels: { model: 'a' }, resourceVersion: '9' },
  };

  expect(pods.change(pod('1', 'a'), newer as never)).toBe(false);
  expect(pods.change(newer as never, pod('1', 'a', false))).toBe(true);
});
