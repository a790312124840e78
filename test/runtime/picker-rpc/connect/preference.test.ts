import fc from 'fast-check';
import { compareReplicas, type Ranked, rankOf } from '../../../../runtime/picker-rpc/connect/preference';

const replicas = fc.uniqueArray(
  fc.record({ replica: fc.string({ minLength: 1, maxLength: 8 }), startedAt: fc.nat(5), warm: fc.boolean() }),
  { selector: ({ replica }) => replica, minLength: 1, maxLength: 8 },
);

function preferred(among: readonly Ranked[], scheduler: string): string[] {
  const compare = (a: Ranked, b: Ranked) =>
    compareReplicas(a, b, rankOf(scheduler, a.replica), rankOf(scheduler, b.replica));
  return [...among].sort(compare).map(({ replica }) => replica);
}

test('every router has the same order, in whatever order it came to know the replicas', () => {
  fc.assert(
    fc.property(replicas, fc.string(), (some, scheduler) => {
      expect(preferred([...some].reverse(), scheduler)).toEqual(preferred(some, scheduler));
    }),
  );
});

test('losing a replica leaves the order of the others', () => {
  fc.assert(
    fc.property(replicas, fc.nat(), fc.string(), (some, at, scheduler) => {
      const lost = some[at % some.length]!;
      const without = preferred(
        some.filter((one) => one !== lost),
        scheduler,
      );
      expect(without).toEqual(preferred(some, scheduler).filter((one) => one !== lost.replica));
    }),
  );
});

test('warm replicas come before others, and of the others the one that has run longest', () => {
  const some = [
    { replica: 'new', startedAt: 3, warm: false },
    { replica: 'newer', startedAt: 4, warm: false },
    { replica: 'warm', startedAt: 2, warm: true },
  ];
  for (let index = 0; index < 20; index++) {
    expect(preferred(some, `default/scheduler-${index}`)).toEqual(['warm', 'new', 'newer']);
  }
});

test('schedulers spread over warm replicas', () => {
  const some = ['a', 'b', 'c'].map((replica) => ({ replica, startedAt: 0, warm: true }));
  const first = Array.from({ length: 60 }, (_, index) => preferred(some, `default/scheduler-${index}`)[0]);
  for (const { replica } of some) expect(first.filter((one) => one === replica).length).toBeGreaterThan(5);
});
