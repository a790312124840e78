import fc from 'fast-check';
import { createAgenda } from '../../../../runtime/simulator/fleet/agenda';

test('actions come by time, those of one moment in the order of planning', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 60 }), (times) => {
      const agenda = createAgenda();
      const done: Array<{ at: number; place: number }> = [];
      times.forEach((at, place) => {
        agenda.plan(at, () => done.push({ at, place }));
      });
      const due: number[] = [];
      while (agenda.nextTime() < Number.POSITIVE_INFINITY) {
        due.push(agenda.nextTime());
        agenda.perform();
      }
      const sorted = times.map((at, place) => ({ at, place })).sort((a, b) => a.at - b.at || a.place - b.place);
      expect(done).toEqual(sorted);
      expect(due).toEqual(sorted.map(({ at }) => at));
    }),
  );
});

test('planning and performing in any mixture is a sorted list', () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }), { maxLength: 80 });
  fc.assert(
    fc.property(steps, (plan) => {
      const agenda = createAgenda();
      const done: number[] = [];
      const expected: number[] = [];
      let list: Array<{ at: number; place: number }> = [];
      plan.forEach((at, place) => {
        if (at === undefined) {
          agenda.perform();
          const first = list.shift();
          if (first !== undefined) expected.push(first.place);
        } else {
          agenda.plan(at, () => done.push(place));
          list = [...list, { at, place }].sort((a, b) => a.at - b.at || a.place - b.place);
        }
        expect(agenda.nextTime()).toBe(list[0]?.at ?? Number.POSITIVE_INFINITY);
      });
      expect(done).toEqual(expected);
    }),
  );
});

test('an action may plan another one for the same moment, which comes after those planned before', () => {
  const agenda = createAgenda();
  const done: string[] = [];
  agenda.plan(1, () => {
    done.push('first');
    agenda.plan(1, () => done.push('planned by first'));
  });
  agenda.plan(1, () => done.push('second'));
  for (let i = 0; i < 3; i++) agenda.perform();
  expect(done).toEqual(['first', 'second', 'planned by first']);
});

test('an empty agenda is never due, and performing does nothing', () => {
  const agenda = createAgenda();
  agenda.perform();
  expect(agenda.nextTime()).toBe(Number.POSITIVE_INFINITY);
});
