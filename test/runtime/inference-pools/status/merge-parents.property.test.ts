import fc from 'fast-check';
import { CONTROLLER_NAME, MOST_PARENTS, mergeParents } from '../../../../runtime/inference-pools/status/merge-parents';
import type { WantedParent } from '../../../../runtime/inference-pools/status/wanted-parents';
import { pool } from './support/objects';

/* The list is others' too: whatever is in it, and whatever we want of it. */

const name = fc.constantFrom(...Array.from({ length: 40 }, (_, i) => `gw-${i}`));
const namespace = fc.constantFrom('team', 'infra');
const status = fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const);
const judgement = fc.record({ status, reason: fc.constantFrom('A', 'B'), message: fc.string({ maxLength: 5 }) });

const wanted: fc.Arbitrary<WantedParent[]> = fc.uniqueArray(
  fc.record({ namespace, name, conditions: fc.record({ Accepted: judgement, ResolvedRefs: judgement }) }),
  { selector: (one) => `${one.namespace}/${one.name}`, maxLength: 40 },
);

const entry = fc.record(
  {
    controllerName: fc.constantFrom(CONTROLLER_NAME, 'example.com/a', 'example.com/b'),
    parentRef: fc.record(
      { group: fc.constant('gateway.networking.k8s.io'), kind: fc.constantFrom('Gateway', 'Service'), namespace, name },
      { requiredKeys: ['name'] },
    ),
    conditions: fc.array(
      fc.record({ type: fc.constantFrom('Accepted', 'Exported'), status, lastTransitionTime: fc.constant('then') }),
      { maxLength: 2 },
    ),
    extension: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: ['parentRef'] },
);

/** As it comes from the API server, where each object is another. */
const present = fc
  .array(entry, { maxLength: MOST_PARENTS })
  .map((list) => JSON.parse(JSON.stringify(list)) as object[]);

const isForeign = (one: unknown) => (one as { controllerName?: string }).controllerName !== CONTROLLER_NAME;

const property = (check: (list: readonly object[], parents: readonly WantedParent[]) => void) =>
  fc.assert(fc.property(present, wanted, check), { numRuns: 300 });

test('the entries of others survive byte for byte and in order', () => {
  property((list, parents) => {
    const merged = mergeParents(pool('llama', {}, list), parents, 1, 'now');

    expect(JSON.stringify(merged.parents.filter(isForeign))).toBe(JSON.stringify(list.filter(isForeign)));
  });
});

test('there are never more entries than there may be, and what has no room is named', () => {
  property((list, parents) => {
    const merged = mergeParents(pool('llama', {}, list), parents, 1, 'now');

    expect(merged.parents.length).toBeLessThanOrEqual(MOST_PARENTS);
    const told = merged.parents.filter((one) => !isForeign(one)).length;
    expect(told + merged.leftOut.length).toBe(parents.length);
    if (merged.leftOut.length > 0) expect(merged.parents.length).toBe(MOST_PARENTS);
  });
});

test('to apply the result again changes nothing', () => {
  property((list, parents) => {
    const first = mergeParents(pool('llama', {}, list), parents, 1, 'now');
    const stored = JSON.parse(JSON.stringify(first.parents)) as unknown[];

    const second = mergeParents(pool('llama', {}, stored), parents, 1, 'later');

    expect(second.changed).toBe(false);
    expect(second.parents).toEqual(stored);
    expect(second.leftOut).toEqual(first.leftOut);
    expect(first.changed).toBe(JSON.stringify(first.parents) !== JSON.stringify(list));
  });
});

test('where nothing is wanted nothing of ours is left', () => {
  property((list) => {
    const merged = mergeParents(pool('llama', {}, list), [], 1, 'now');

    expect(merged.parents).toEqual(list.filter(isForeign));
  });
});
