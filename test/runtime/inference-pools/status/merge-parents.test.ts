import { CONTROLLER_NAME, MOST_PARENTS, mergeParents } from '../../../../runtime/inference-pools/status/merge-parents';
import type { WantedParent } from '../../../../runtime/inference-pools/status/wanted-parents';
import { pool } from './support/objects';

const NOW = '2026-02-01T00:00:00Z';
const LATER = '2026-02-01T00:05:00Z';

const TRUE = { status: 'True', reason: 'Accepted', message: 'it leads there' } as const;
const UNKNOWN = { status: 'Unknown', reason: 'Pending', message: 'wait' } as const;
const RESOLVED = { status: 'True', reason: 'ResolvedRefs', message: 'it is there' } as const;

const want = (name: string, Accepted: WantedParent['conditions']['Accepted'] = TRUE): WantedParent => ({
  ...{ namespace: 'infra', name },
  conditions: { Accepted, ResolvedRefs: RESOLVED },
});

const foreign = (index: number) => ({
  controllerName: `example.com/controller-${index}`,
  parentRef: { name: 'theirs', kind: 'Gateway', group: 'gateway.networking.k8s.io' },
  conditions: [{ type: 'Accepted', status: 'False', reason: 'Other', message: '', lastTransitionTime: NOW }],
});

const merge = (present: readonly unknown[], wanted: readonly WantedParent[], generation = 1, now = NOW) =>
  mergeParents(pool('llama', {}, present), wanted, generation, now);

test('an entry names the Gateway and who says so, with both conditions', () => {
  expect(merge([], [want('gw', UNKNOWN)])).toEqual({
    changed: true,
    leftOut: [],
    parents: [
      {
        parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'infra', name: 'gw' },
        controllerName: 'inference.sagemaker.aws.amazon.com/inference-gateway-controller',
        conditions: [
          { type: 'Accepted', observedGeneration: 1, lastTransitionTime: NOW, ...UNKNOWN },
          { type: 'ResolvedRefs', observedGeneration: 1, lastTransitionTime: NOW, ...RESOLVED },
        ],
      },
    ],
  });
});

test('a condition keeps its time until its status changes', () => {
  const { parents: first } = merge([], [want('gw')]);

  const other = { ...TRUE, message: 'it still leads there' };
  const { parents: second, changed } = merge(first, [want('gw', other)], 2, LATER);
  const { parents: third } = merge(second, [want('gw', UNKNOWN)], 2, LATER);

  expect(changed).toBe(true);
  expect(second).toMatchObject([{ conditions: [{ ...other, observedGeneration: 2, lastTransitionTime: NOW }, {}] }]);
  expect(third).toMatchObject([
    { conditions: [{ status: 'Unknown', lastTransitionTime: LATER }, { lastTransitionTime: NOW }] },
  ]);
});

test('what is there as it should be is no change, in whatever order its fields are', () => {
  const { parents } = merge([], [want('gw')]);
  const reordered = JSON.parse(JSON.stringify(parents), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  ) as unknown[];

  const again = merge(reordered, [want('gw')], 1, LATER);

  expect(again.changed).toBe(false);
  expect(again.parents[0]).toBe(reordered[0]);
});

test('an entry that is wanted no more goes, and those of others stay where they are', () => {
  const { parents: ours } = merge([], [want('a'), want('b')]);
  const present = [foreign(1), ours[0], foreign(2), ours[1], foreign(3)];

  const { parents, changed } = merge(present, [want('b')]);

  expect(changed).toBe(true);
  expect(parents).toEqual([foreign(1), foreign(2), ours[1], foreign(3)]);
  expect(merge(parents, []).parents).toEqual([foreign(1), foreign(2), foreign(3)]);
});

test('an entry of another for the same Gateway, or of nobody, is none of ours', () => {
  const { parents: ours } = merge([], [want('gw')]);
  const theirs = { ...(ours[0] as object), controllerName: 'example.com/other' };
  const { controllerName: _, ...nobodys } = theirs;

  expect(merge([theirs, nobodys], []).changed).toBe(false);
  expect(merge([theirs, nobodys], [want('gw')]).parents).toEqual([theirs, nobodys, ours[0]]);
});

test('of two entries of ours for one Gateway the first stays, and one for no Gateway goes', () => {
  const { parents: ours } = merge([], [want('gw')]);
  const odd = { controllerName: CONTROLLER_NAME, parentRef: { kind: 'Service', namespace: 'infra', name: 'gw' } };

  expect(merge([...ours, odd, ...ours], [want('gw')])).toEqual({ parents: ours, changed: true, leftOut: [] });
});

describe('where there is no room', () => {
  const others = Array.from({ length: MOST_PARENTS - 1 }, (_, i) => foreign(i));

  test('the first of ours that fits is told, and the rest by name', () => {
    const { parents, leftOut } = merge(others, [want('a'), want('b'), want('c')]);

    expect(parents.slice(0, -1)).toEqual(others);
    expect(parents.at(-1)).toMatchObject({ parentRef: { name: 'a' } });
    expect(leftOut).toEqual(['infra/b', 'infra/c']);
  });

  test('an entry that is there stays before one that is new', () => {
    const { parents } = merge(others, [want('b')]);

    expect(merge(parents, [want('a'), want('b')])).toEqual({ parents, changed: false, leftOut: ['infra/a'] });
  });

  test('none of others is given up', () => {
    const all = [...others, foreign(99)];

    expect(merge(all, [want('a')])).toEqual({ parents: all, changed: false, leftOut: ['infra/a'] });
  });
});

test('a status of another shape is as none', () => {
  const odd = { ...pool(), status: { parents: 'none' } };

  expect(mergeParents(odd, [want('gw')], undefined, NOW).parents).toEqual([
    expect.objectContaining({ controllerName: CONTROLLER_NAME }),
  ]);
});
