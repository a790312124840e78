import { checkObjects, ofKind } from '../../../../lib/translate/check-objects';
import { compileRewrites } from '../../../../lib/translate/gateway-state/rewrites';
import type { SourcedValue } from '../../../../lib/translate/sourced-value';
import { rewriteObject, schedulerState } from '../builders';

const SCHEDULERS = [schedulerState('m1', [], { adapters: ['a1'] }), schedulerState('m2', [])];

function rewritesOf(objects: readonly SourcedValue[]) {
  const checked = checkObjects(objects);
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  return compileRewrites(ofKind(checked.objects, 'InferenceModelRewrite'), SCHEDULERS);
}

const exact = (model: string, target: string) => ({
  matches: [{ model: { value: model } }],
  targets: [{ modelRewrite: target }],
});
const at = (time: string) => ({ creationTimestamp: time });

describe('compileRewrites', () => {
  it('puts exact rules before generic ones, and of equals the oldest object first', () => {
    const { rewrites } = rewritesOf([
      rewriteObject('none', 'm1', [exact('x', 'm1')]),
      rewriteObject('new', 'm1', [exact('x', 'm1')], at('2026-02-01T00:00:00Z')),
      rewriteObject('generic', 'm1', [{ targets: [{ modelRewrite: 'm2' }] }], at('2025-01-01T00:00:00Z')),
      rewriteObject('b', 'm1', [exact('y', 'm1'), exact('z', 'm1')], at('2026-01-01T00:00:00Z')),
      rewriteObject('a', 'm1', [exact('x', 'm1')], at('2026-01-01T00:00:00Z')),
    ]);
    expect(rewrites.map(({ name, models }) => [name, ...models])).toEqual([
      ['default/a', 'x'],
      ['default/b', 'y'],
      ['default/b', 'z'],
      ['default/new', 'x'],
      ['default/none', 'x'],
      ['default/generic'],
    ]);
  });

  it('gives targets without weights the same one', () => {
    const targets = [{ modelRewrite: 'm1' }, { modelRewrite: 'a1' }];
    expect(rewritesOf([rewriteObject('r', 'm1', [{ targets }])]).rewrites).toEqual([
      {
        name: 'default/r',
        scheduler: 'default/m1',
        models: [],
        targets: [
          { model: 'm1', weight: 1 },
          { model: 'a1', weight: 1 },
        ],
      },
    ]);
  });

  it('leaves a rule without targets out, and says so', () => {
    const { rewrites, warnings } = rewritesOf([rewriteObject('r', 'm1', [{ matches: [{ model: { value: 'x' } }] }])]);
    expect(rewrites).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('default/r rule 0 has no targets')]);
  });

  it('leaves out a rewrite of a pool that is no scheduler of this gateway, and says so', () => {
    const objects = [
      rewriteObject('theirs', 'm9', [exact('x', 'm1')]),
      rewriteObject('ours', 'm1', [exact('x', 'm1')]),
    ];
    const { rewrites, warnings } = rewritesOf(objects);
    expect(rewrites.map(({ name }) => name)).toEqual(['default/ours']);
    expect(warnings).toEqual([
      'test InferenceModelRewrite default/theirs: its poolRef names "m9", which is no scheduler of this gateway (m1, m2): it is left out',
    ]);
  });

  it('says so when no scheduler serves a target', () => {
    expect(rewritesOf([rewriteObject('r', 'm1', [exact('x', 'm9')])]).warnings).toEqual([
      expect.stringContaining('no scheduler serves its target "m9"'),
    ]);
  });

  describe('rules for a model that another has', () => {
    const conflictsOf = (objects: readonly SourcedValue[]) => rewritesOf(objects).conflicts;
    const old = at('2026-01-01T00:00:00Z');

    it('tells both schedulers of a model that an older rewrite has', () => {
      const { conflicts, warnings } = rewritesOf([
        rewriteObject('new', 'm2', [exact('x', 'm2')]),
        rewriteObject('old', 'm1', [exact('x', 'm1')], old),
      ]);
      expect(conflicts.map(({ schedulers }) => schedulers)).toEqual([['m1', 'm2']]);
      expect(warnings).toEqual([
        'test InferenceModelRewrite default/new rule 0 never counts for model "x": default/old comes before it; remove one of the two, or name another model',
      ]);
    });

    it('tells of a rule for the model or adapter of another scheduler', () => {
      const [one, other] = conflictsOf([rewriteObject('r', 'm2', [exact('m1', 'm2'), exact('a1', 'm2')])]);
      expect(one).toMatchObject({ schedulers: ['m1', 'm2'] });
      expect(one!.message).toContain('scheduler m1 serves it, and only a rewrite whose poolRef names m1 counts');
      expect(other!.message).toContain('for model "a1"');
    });

    it('tells of a second rule for all models of a scheduler', () => {
      const all = [{ targets: [{ modelRewrite: 'm2' }] }];
      const [conflict] = conflictsOf([rewriteObject('new', 'm1', all), rewriteObject('old', 'm1', all, old)]);
      expect(conflict!.message).toContain('default/new rule 0 never counts: default/old has a rule for all');
    });

    it('has nothing to tell of a canary on the own model, nor of two schedulers with a rule for all', () => {
      const all = [{ targets: [{ modelRewrite: 'm2' }] }];
      expect(
        conflictsOf([
          rewriteObject('canary', 'm1', [exact('m1', 'm2'), exact('x', 'm1'), ...all]),
          rewriteObject('other', 'm2', [exact('y', 'm1'), ...all]),
        ]),
      ).toEqual([]);
    });
  });
});
