import { checkObjects, ofKind } from '../../../../lib/translate/check-objects';
import { objectivesByScheduler } from '../../../../lib/translate/gateway-state/objectives';
import type { SourcedValue } from '../../../../lib/translate/sourced-value';
import { objectiveObject } from '../builders';

function objectivesOf(objects: readonly SourcedValue[]) {
  const checked = checkObjects(objects);
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  const { of, warnings } = objectivesByScheduler(ofKind(checked.objects, 'InferenceObjective'), [
    { name: 'm1' },
    { name: 'm2' },
  ]);
  return { of: Object.fromEntries(of), warnings };
}

describe('objectivesByScheduler', () => {
  it('gives each scheduler those whose poolRef names it; no priority is 0', () => {
    expect(
      objectivesOf([
        objectiveObject('urgent', 'm1', { priority: 100 }),
        objectiveObject('plain', 'm1'),
        objectiveObject('batch', 'm2', { priority: -10 }),
      ]),
    ).toEqual({
      of: {
        m1: [
          { name: 'urgent', priority: 100 },
          { name: 'plain', priority: 0 },
        ],
        m2: [{ name: 'batch', priority: -10 }],
      },
      warnings: [],
    });
  });

  it('takes that of llm-d.ai where both API groups have one of the name, whatever their order', () => {
    const both = [
      objectiveObject('urgent', 'm1', { priority: 1 }),
      objectiveObject('urgent', 'm1', { priority: 2 }, 'llm-d.ai'),
    ];
    for (const objects of [both, both.toReversed()]) {
      expect(objectivesOf(objects)).toEqual({
        of: { m1: [{ name: 'urgent', priority: 2 }] },
        warnings: [
          'test InferenceObjective default/urgent is also there in the group llm-d.ai, which counts: it is left out',
        ],
      });
    }
  });

  it('keeps both where they are of different pools', () => {
    const objects = [objectiveObject('urgent', 'm1'), objectiveObject('urgent', 'm2', {}, 'llm-d.ai')];
    expect(objectivesOf(objects)).toEqual({
      of: { m1: [{ name: 'urgent', priority: 0 }], m2: [{ name: 'urgent', priority: 0 }] },
      warnings: [],
    });
  });

  it.each([
    [{ name: 'm3' }, 'names "m3", which is no scheduler of this gateway (m1, m2)'],
    [{ name: 'm1', group: 'example.com' }, 'names a pool of the group "example.com"'],
    [{ name: 'm1', kind: 'Service' }, 'names a Service, and no InferencePool'],
  ])('leaves out what is of another pool (%j), and says so', (poolRef, reason) => {
    expect(objectivesOf([objectiveObject('urgent', 'm1', { poolRef })])).toEqual({
      of: {},
      warnings: [`test InferenceObjective default/urgent: its poolRef ${reason}: it is left out`],
    });
  });
});
