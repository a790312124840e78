import { checkObjects, ofKind } from '../../../../lib/translate/check-objects';
import { adaptersByScheduler } from '../../../../lib/translate/gateway-state/adapters';
import type { SourcedValue } from '../../../../lib/translate/sourced-value';
import { adaptersObject } from '../builders';

type Scheduler = Parameters<typeof adaptersByScheduler>[0][number];

function adaptersOf(schedulers: readonly Scheduler[], configMaps: readonly SourcedValue[]) {
  const checked = checkObjects(configMaps);
  if ('faults' in checked) throw new Error(checked.faults.join('\n'));
  const { of, warnings } = adaptersByScheduler(
    schedulers,
    { source: 'config', value: {} },
    ofKind(checked.objects, 'ConfigMap'),
  );
  return { adapters: Object.fromEntries(of), warnings };
}

const TWO: readonly Scheduler[] = [
  { name: 's1', modelName: 'm1', loraAdapters: ['a1'] },
  { name: 's2', modelName: 'm2' },
];

describe('adaptersByScheduler', () => {
  it('joins the list of the scheduler and those of several ConfigMaps, trimmed and once each', () => {
    const { adapters, warnings } = adaptersOf(TWO, [
      adaptersObject('x', ' m1 ', [' a2 ', 'a1', 'a2']),
      adaptersObject('y', 'm1', ['a3', 'a2']),
      adaptersObject('z', 'm2', ['b1']),
    ]);
    expect(adapters).toEqual({ s1: ['a1', 'a2', 'a3'], s2: ['b1'] });
    expect(warnings).toEqual([]);
  });

  it('leaves an adapter that two schedulers list with the first, and one with the name of a model out', () => {
    const { adapters, warnings } = adaptersOf(
      [
        { name: 's1', modelName: 'm1', loraAdapters: ['both', 'm2', 'm1', 'both'] },
        { name: 's2', modelName: 'm2', loraAdapters: ['a', 'both'] },
      ],
      [],
    );
    expect(adapters).toEqual({ s1: ['both'], s2: ['a'] });
    expect(warnings).toEqual([
      'config spec.schedulers[0].loraAdapters[1]: adapter "m2" is the model of scheduler s2: it is left out',
      'config spec.schedulers[1].loraAdapters[1]: adapter "both" belongs to scheduler s1 already: it is left out',
    ]);
  });

  it('does not take a base model for its own adapter', () => {
    expect(adaptersOf(TWO, [adaptersObject('x', 'm1', ['m1', 'a2'])])).toEqual({
      adapters: { s1: ['a1', 'a2'], s2: [] },
      warnings: [],
    });
  });

  it('leaves an adapter of two base models with the oldest ConfigMap, whatever the order they come in', () => {
    const newer = adaptersObject('a', 'm2', ['both'], { creationTimestamp: '2026-02-01T00:00:00Z' });
    const older = adaptersObject('b', 'm1', ['both'], { creationTimestamp: '2026-01-01T00:00:00Z' });
    for (const order of [
      [newer, older],
      [older, newer],
    ]) {
      const { adapters, warnings } = adaptersOf(TWO, order);
      expect(adapters).toEqual({ s1: ['a1', 'both'], s2: [] });
      expect(warnings).toEqual([
        expect.stringContaining('ConfigMap a: adapter "both" belongs to scheduler s1 already'),
      ]);
    }
  });

  it('leaves an adapter of the object itself before one of a ConfigMap', () => {
    const { adapters } = adaptersOf(TWO, [adaptersObject('x', 'm2', ['a1'])]);
    expect(adapters).toEqual({ s1: ['a1'], s2: [] });
  });

  it('does not let an adapter take the model of another scheduler', () => {
    const { adapters, warnings } = adaptersOf(TWO, [adaptersObject('x', 'm1', ['m2'])]);
    expect(adapters).toEqual({ s1: ['a1'], s2: [] });
    expect(warnings).toEqual([expect.stringContaining('"m2" is the model of scheduler s2')]);
  });

  it('leaves out a name that no header can carry', () => {
    const { adapters, warnings } = adaptersOf(TWO, [adaptersObject('x', 'm2', ['a\r\nx-evil: 1', 'x'.repeat(254)])]);
    expect(adapters).toEqual({ s1: ['a1'], s2: [] });
    expect(warnings).toHaveLength(2);
    expect(warnings.join('')).not.toMatch(/[\r\n]/);
  });

  it('says so when no scheduler serves the base model', () => {
    expect(adaptersOf(TWO, [adaptersObject('x', 'm3', ['c'])]).warnings).toEqual([
      expect.stringContaining('no scheduler serves its baseModel "m3"'),
    ]);
  });

  it('gives every adapter to a scheduler that takes every model', () => {
    expect(adaptersOf([{ name: 's' }], [adaptersObject('x', 'm3', ['c'])]).adapters).toEqual({ s: ['c'] });
  });
});
