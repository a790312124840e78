import fc from 'fast-check';
import { BANDS, type Band } from '../../../../lib/translate/gateway-state';
import {
  createFlowQueue,
  type FlowQueue,
  HOLD_MS,
  STARVATION_RATIO,
} from '../../../../runtime/endpoint-picker/admission/flow-queue';
import { QUANTUM_TOKENS } from '../../../../runtime/endpoint-picker/admission/tenant-turns';
import { AMPLE, type Item, item, limitsOf, takeOne } from './queue-support';

function takeAll(queue: FlowQueue<Item>): Item[] {
  const taken: Item[] = [];
  queue.dispatch(0, (head) => {
    taken.push(head);
    return 'taken';
  });
  return taken;
}

function sizes(queue: FlowQueue<Item>) {
  return BANDS.map((band) => queue.sizeOf(band));
}

const NOTHING = BANDS.map(() => ({ requests: 0, bytes: 0 }));

describe('the order of bands', () => {
  it('is Critical, Standard, Sheddable', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    for (const band of BANDS.toReversed()) queue.enqueue(item({ band }));
    expect(takeAll(queue).map(({ band }) => band)).toEqual(BANDS);
  });

  it('holds back everything behind a head that is not taken: small Sheddable ones do not overtake a large Critical one', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const large = item({ band: 'critical', tokens: 100_000 });
    for (const one of [item({ band: 'sheddable', tokens: 1 }), large]) queue.enqueue(one);
    const offered: Item[] = [];
    queue.dispatch(0, (head) => {
      offered.push(head);
      return head.tokens < 1000 ? 'taken' : 'no-room';
    });
    expect(offered).toEqual([large]);
    expect(queue.size).toBe(2);
  });

  it('offers the same head again until it is taken, whoever has come since', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const first = item({ tokens: 50_000, tenant: 'large' });
    queue.enqueue(first);
    queue.dispatch(0, () => 'no-room');
    queue.enqueue(item({ tokens: 1, tenant: 'small' }));
    expect(takeOne(queue)?.item).toBe(first);
  });

  it('is kept by drain', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const items = (['sheddable', 'critical', 'standard', 'critical'] as const).map((band) => item({ band }));
    for (const one of items) queue.enqueue(one);
    expect(queue.drain()).toEqual([items[1], items[3], items[2], items[0]]);
    expect(queue.size).toBe(0);
    expect(queue.nextExpiry()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the share of a band that waits', () => {
  /** Critical always waits; the other bands have these requests. */
  function busy(lower: readonly Item[]) {
    const queue = createFlowQueue<Item>(AMPLE);
    for (const one of lower) queue.enqueue(one);
    return {
      queue,
      step(tokens: number) {
        queue.enqueue(item({ band: 'critical', tokens }));
        return takeOne(queue)!;
      },
    };
  }

  it('lets its head in once higher bands have dispatched so many times its tokens, as owed', () => {
    const { step } = busy([item({ band: 'sheddable', tokens: 100 })]);
    const turns = Array.from({ length: STARVATION_RATIO + 1 }, () => step(100));
    expect(turns.map(({ owed }) => owed)).toEqual([...Array<boolean>(STARVATION_RATIO).fill(false), true]);
    expect(turns.at(-1)!.item.band).toBe('sheddable');
  });

  it('is 5 % of the tokens of higher bands over a long time', () => {
    const { step } = busy(
      Array.from({ length: 2000 }, (_, i) => item({ band: 'sheddable', tokens: 1 + ((i * 37) % 500) })),
    );
    const tokens = { critical: 0, sheddable: 0, standard: 0 };
    for (let i = 0; i < 5000; i++) {
      const { item: taken } = step(1 + ((i * 101) % 900));
      tokens[taken.band] += taken.tokens;
    }
    expect(tokens.sheddable / tokens.critical).toBeCloseTo(1 / STARVATION_RATIO, 3);
  });

  it('holds back higher bands while its head finds no room, so that small ones do not starve a large one', () => {
    const large = item({ band: 'sheddable', tokens: 1000 });
    const { queue, step } = busy([large]);
    for (let i = 0; i < STARVATION_RATIO; i++) step(1000);
    queue.enqueue(item({ band: 'critical', tokens: 1 }));
    const offered: Item[] = [];
    queue.dispatch(0, (head) => {
      offered.push(head);
      return head !== large ? 'taken' : 'no-room';
    });
    expect(offered).toEqual([large]);
  });

  it('is lost when nothing of the band waits any more', () => {
    const { queue, step } = busy([item({ band: 'sheddable', tokens: 100, expiresAt: 5 })]);
    for (let i = 0; i < STARVATION_RATIO - 1; i++) step(100);
    queue.expire(5);
    queue.enqueue(item({ band: 'sheddable', tokens: 100 }));
    expect(step(100).owed).toBe(false);
    expect(step(100).owed).toBe(false);
  });

  describe('of which a large head finds no room', () => {
    /** Critical has room for small requests only; `large` is owed, and holds the others from 0 on. */
    function owedWithoutRoom(behind: readonly Item[] = []) {
      const large = item({ band: 'sheddable', tokens: 1000 });
      const { queue, step } = busy([large, ...behind]);
      for (let i = 0; i < STARVATION_RATIO; i++) step(1000);
      let room = 100;
      return {
        queue,
        large,
        makeRoom: () => {
          room = 1000;
        },
        /** A Critical request of 100 tokens comes; who goes. */
        arrive(now: number): Item[] {
          queue.enqueue(item({ band: 'critical' }));
          const gone: Item[] = [];
          queue.dispatch(now, (head) => {
            if (head.tokens > room) return 'no-room';
            gone.push(head);
            return 'taken';
          });
          return gone;
        },
      };
    }
    const bandsOf = (items: readonly Item[]) => items.map(({ band }) => band);

    it('holds the others for a bounded time only, and goes first when there is room for it', () => {
      const { arrive, makeRoom, large } = owedWithoutRoom();
      expect(arrive(1)).toEqual([]);
      expect(arrive(HOLD_MS - 1)).toEqual([]);
      expect(bandsOf(arrive(HOLD_MS))).toEqual(['critical', 'critical', 'critical']);
      expect(bandsOf(arrive(HOLD_MS + 1))).toEqual(['critical']);
      makeRoom();
      expect(arrive(HOLD_MS + 2)[0]).toBe(large);
    });

    it('holds them again only when as many tokens have gone by once more', () => {
      const { arrive } = owedWithoutRoom();
      let tokens = 0;
      for (let now = HOLD_MS; now < 10_000; now++) {
        const gone = arrive(now);
        if (gone.length === 0) break;
        tokens += gone.length * 100;
      }
      expect(tokens).toBe(STARVATION_RATIO * 1000);
    });

    it('leaves nothing to those behind it that would let many of them go at once', () => {
      const behind = Array.from({ length: 50 }, () => item({ band: 'sheddable', tokens: 10 }));
      const { arrive, queue, large } = owedWithoutRoom(behind);
      for (let now = HOLD_MS; now < HOLD_MS + 50; now++) arrive(now);
      queue.remove(large);
      expect(bandsOf(arrive(HOLD_MS + 50))).toEqual(['sheddable', 'critical', ...Array<Band>(49).fill('sheddable')]);
    });

    it('does not let a band below it go by', () => {
      const standard = item({ band: 'standard', tokens: 1000 });
      const { queue, step } = busy([standard, item({ band: 'sheddable', tokens: 500_000 })]);
      for (let i = 0; i < STARVATION_RATIO; i++) step(1000);
      const offered: Item[] = [];
      for (const now of [0, HOLD_MS]) {
        queue.dispatch(now, (head) => {
          offered.push(head);
          return 'no-room';
        });
      }
      expect(offered).toEqual([standard, standard]);
    });
  });

  const work = fc.array(
    fc.record({ band: fc.constantFrom<Band>(...BANDS), tokens: fc.integer({ min: 1, max: 5000 }), takes: fc.nat(3) }),
    { maxLength: 300 },
  );

  it('is never late: the stated bound holds for every band, whatever comes', () => {
    fc.assert(
      fc.property(work, (steps) => {
        const queue = createFlowQueue<Item>(AMPLE);
        const waiting = new Map<Band, Item[]>(BANDS.map((band) => [band, []]));
        const passed = { critical: 0, standard: 0, sheddable: 0 };
        for (const { takes, ...some } of steps) {
          const one = item(some);
          queue.enqueue(one);
          waiting.get(one.band)!.push(one);
          for (let i = 0; i < takes; i++) {
            const turn = takeOne(queue);
            if (turn === undefined) break;
            const { band, tokens } = turn.item;
            waiting.get(band)!.shift();
            passed[band] = 0;
            for (const lower of BANDS.slice(BANDS.indexOf(band) + 1)) {
              const head = waiting.get(lower)![0];
              if (head === undefined) continue;
              expect(passed[lower]).toBeLessThan(STARVATION_RATIO * head.tokens);
              passed[lower] += tokens;
            }
          }
        }
      }),
    );
  });
});

describe('a request that has no place in the queue', () => {
  const queueOf = (...bands: Band[]) => {
    const queue = createFlowQueue<Item>(AMPLE);
    for (const band of bands) queue.enqueue(item({ band }));
    return queue;
  };

  it('goes before lower bands only', () => {
    const lower = queueOf('sheddable', 'standard');
    expect(lower.passBy(item({ band: 'critical' }), 0, () => true)).toBe(true);
    expect(lower.passBy(item({ band: 'critical' }), 0, () => false)).toBe(false);
    expect(lower.passBy(item({ band: 'standard' }), 0, () => true)).toBe(false);
    expect(queueOf('critical').passBy(item({ band: 'standard' }), 0, () => true)).toBe(false);
  });

  it('counts as what it went before is owed, and does not go before who is', () => {
    const queue = queueOf('sheddable');
    const pass = (now: number) => queue.passBy(item({ band: 'critical' }), now, () => true);
    expect(Array.from({ length: STARVATION_RATIO + 1 }, () => pass(0))).toEqual([
      ...Array<boolean>(STARVATION_RATIO).fill(true),
      false,
    ]);
    expect(pass(HOLD_MS)).toBe(true);
    expect(takeOne(queue)).toMatchObject({ owed: true });
  });
});

describe('tenants of a band', () => {
  /** Tokens that each tenant dispatches while all of them always have something waiting. */
  function sharesOf(draws: Readonly<Record<string, () => number>>, tokens: number): number[] {
    const queue = createFlowQueue<Item>(AMPLE);
    const add = (tenant: string) => queue.enqueue(item({ tenant, tokens: draws[tenant]!() }));
    for (const tenant of Object.keys(draws)) for (let i = 0; i < 2; i++) add(tenant);
    const sent = new Map(Object.keys(draws).map((tenant) => [tenant, 0]));
    for (let all = 0; all < tokens; ) {
      const { item: taken } = takeOne(queue)!;
      sent.set(taken.tenant, sent.get(taken.tenant)! + taken.tokens);
      all += taken.tokens;
      add(taken.tenant);
    }
    return [...sent.values()];
  }

  const sizesOfTenant = fc.oneof(
    fc.integer({ min: 1, max: 20_000 }).map((tokens) => [tokens]),
    fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 }),
  );

  it('get the same tokens, to within 5 %, whatever the sizes of their requests', () => {
    fc.assert(
      fc.property(fc.array(sizesOfTenant, { minLength: 2, maxLength: 5 }), (tenants) => {
        const draws = Object.fromEntries(
          tenants.map((cycle, i) => {
            let at = 0;
            return [`t${i}`, () => cycle[at++ % cycle.length]!];
          }),
        );
        const shares = sharesOf(draws, 1_000_000 * tenants.length);
        expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.05);
      }),
      { numRuns: 20 },
    );
  });

  it('never differ by more than the quantum and twice the largest request while both wait', () => {
    const largest = 9000;
    const queue = createFlowQueue<Item>(AMPLE);
    const add = (tenant: string, tokens: number) => queue.enqueue(item({ tenant, tokens }));
    for (let i = 0; i < 400; i++) {
      add('even', 700);
      add('uneven', i % 3 === 0 ? largest : 13);
    }
    const sent = { even: 0, uneven: 0 };
    for (let i = 0; i < 300; i++) {
      const { item: taken } = takeOne(queue)!;
      sent[taken.tenant as keyof typeof sent] += taken.tokens;
      expect(Math.abs(sent.even - sent.uneven)).toBeLessThanOrEqual(QUANTUM_TOKENS + 2 * largest);
    }
  });

  it('lose what they have left when nothing of theirs waits', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const order: string[] = [];
    queue.enqueue(item({ tenant: 'a', tokens: 1 }));
    queue.enqueue(item({ tenant: 'b', tokens: QUANTUM_TOKENS }));
    order.push(takeOne(queue)!.item.tenant);
    // Had it kept the rest of its quantum, both of these would go in one turn.
    for (let i = 0; i < 2; i++) queue.enqueue(item({ tenant: 'a', tokens: QUANTUM_TOKENS }));
    queue.enqueue(item({ tenant: 'b', tokens: QUANTUM_TOKENS }));
    order.push(...takeAll(queue).map(({ tenant }) => tenant));
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a']);
  });

  it.each([1, 5, 100])(
    'cannot be pushed below their share of %i queues and the shared one by ten thousand invented ids',
    (maxTenants) => {
      const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 1000, maxBytes: 2 ** 40 }, { maxTenants }));
      let invented = 0;
      const honest = () => queue.enqueue(item({ tenant: 'honest', tokens: 900 }));
      honest();
      honest();
      const sent = { honest: 0, attacker: 0 };
      while (sent.honest + sent.attacker < 2_000_000 * Math.sqrt(maxTenants)) {
        while (queue.enqueue(item({ tenant: `id-${invented++ % 10_000}`, tokens: 3000 })));
        const { item: taken } = takeOne(queue)!;
        sent[taken.tenant === 'honest' ? 'honest' : 'attacker'] += taken.tokens;
        if (taken.tenant === 'honest') honest();
      }
      expect(sent.honest / (sent.honest + sent.attacker)).toBeGreaterThan(0.95 / (maxTenants + 1));
    },
  );

  it('beyond the bound share one queue, and stay in it as long as something of theirs waits, in order', () => {
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 100, maxBytes: 2 ** 40 }, { maxTenants: 1 }));
    const named = item({ tenant: 'named', tokens: QUANTUM_TOKENS });
    const [late1, other, late2] = ['late', 'other', 'late'].map((tenant) => item({ tenant, tokens: QUANTUM_TOKENS }));
    for (const one of [named, late1!, other!]) queue.enqueue(one);
    expect(takeOne(queue)?.item).toBe(named);
    queue.enqueue(late2!);
    expect(takeAll(queue)).toEqual([late1, other, late2]);
  });
});

describe('limits', () => {
  it('refuse what is above the requests of the band', () => {
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 2, maxBytes: 2 ** 40 }));
    expect([item(), item(), item(), item({ band: 'critical' })].map((one) => queue.enqueue(one))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('refuse what is above the bytes of the band', () => {
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 10, maxBytes: 1000 }));
    expect([600, 500, 400].map((bytes) => queue.enqueue(item({ bytes })))).toEqual([true, false, true]);
  });

  it('keep half of the bytes of all bands from Sheddable and a quarter from Standard', () => {
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 10, maxBytes: 1000 }, { maxBytes: 1000 }));
    const enqueue = (band: Band, bytes: number) => queue.enqueue(item({ band, bytes }));
    expect([enqueue('sheddable', 501), enqueue('sheddable', 500)]).toEqual([false, true]);
    expect([enqueue('standard', 251), enqueue('standard', 250)]).toEqual([false, true]);
    expect([enqueue('critical', 251), enqueue('critical', 250)]).toEqual([false, true]);
  });

  it('that are lowered keep what waits', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    for (let i = 0; i < 3; i++) queue.enqueue(item());
    queue.update(limitsOf({ maxRequests: 1, maxBytes: 2 ** 40 }));
    expect(queue.enqueue(item())).toBe(false);
    expect(takeAll(queue)).toHaveLength(3);
    expect(queue.enqueue(item())).toBe(true);
  });

  it('push out the newest of the tenant that holds most, so that it cannot fill the band', () => {
    const displaced: Item[] = [];
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 4, maxBytes: 2 ** 40 }), (one) => displaced.push(one));
    const greedy = Array.from({ length: 5 }, () => item({ tenant: 'greedy' }));
    expect(greedy.map((one) => queue.enqueue(one))).toEqual([true, true, true, true, false]);
    const modest = Array.from({ length: 3 }, () => item({ tenant: 'modest' }));
    expect(modest.map((one) => queue.enqueue(one))).toEqual([true, true, false]);
    expect(displaced).toEqual([greedy[3], greedy[2]]);
    expect(queue.size).toBe(4);
  });

  it('push out as many as make room for the bytes, or none', () => {
    const displaced: Item[] = [];
    const queue = createFlowQueue<Item>(limitsOf({ maxRequests: 9, maxBytes: 1000 }), (one) => displaced.push(one));
    const greedy = Array.from({ length: 5 }, () => item({ tenant: 'greedy', bytes: 200 }));
    for (const one of greedy) queue.enqueue(one);
    expect(queue.enqueue(item({ tenant: 'modest', bytes: 600 }))).toBe(false);
    expect(displaced).toEqual([]);
    expect(queue.enqueue(item({ tenant: 'modest', bytes: 400 }))).toBe(true);
    expect(displaced).toEqual([greedy[4], greedy[3]]);
  });
});

describe('time', () => {
  it('takes out what has waited too long, the oldest first', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const items = [30, 10, 20, 40].map((expiresAt) => item({ expiresAt }));
    for (const one of items) queue.enqueue(one);
    expect(queue.nextExpiry()).toBe(10);
    expect(queue.expire(30)).toEqual([items[1], items[2], items[0]]);
    expect(queue.nextExpiry()).toBe(40);
  });

  it('does not take out what left before', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const gone = item();
    queue.enqueue(gone);
    expect(queue.remove(gone)).toBe(true);
    expect(queue.remove(gone)).toBe(false);
    expect(queue.expire(5000)).toEqual([]);
  });
});

describe('dispatch', () => {
  it('from within a dispatch does nothing', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    queue.enqueue(item());
    queue.enqueue(item());
    let inner = 0;
    queue.dispatch(0, () => {
      queue.dispatch(0, () => {
        inner += 1;
        return 'taken';
      });
      return 'taken';
    });
    expect([inner, queue.size]).toEqual([0, 0]);
  });

  it('bears that a request is removed, or another comes, while it is offered', () => {
    const queue = createFlowQueue<Item>(AMPLE);
    const items = [item(), item(), item()];
    queue.enqueue(items[0]!);
    queue.enqueue(items[1]!);
    const offered: Item[] = [];
    queue.dispatch(0, (head) => {
      offered.push(head);
      if (head === items[0]) {
        queue.remove(items[0]);
        queue.enqueue(items[2]!);
      }
      return 'taken';
    });
    expect(offered).toEqual(items);
    expect(sizes(queue)).toEqual(NOTHING);
  });
});

/** One thing that happens to a queue. */
const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('enqueue' as const),
      band: fc.constantFrom<Band>(...BANDS),
      tenant: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      tokens: fc.integer({ min: 1, max: 6000 }),
      bytes: fc.integer({ min: 0, max: 300 }),
      ttl: fc.nat(50),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('dispatch' as const), takes: fc.nat(4), asides: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), later: fc.nat(20) }) },
);

describe('whatever happens', () => {
  const limits = limitsOf({ maxRequests: 6, maxBytes: 1000 }, { maxBytes: 1500, maxTenants: 2 });

  it.each([true, false])('every item leaves exactly once and limits hold (displacing: %s)', (displaces) => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), (events) => {
        let now = 0;
        const inside = new Set<Item>();
        const left = (one: Item) => expect(inside.delete(one)).toBe(true);
        const queue = createFlowQueue<Item>(limits, displaces ? left : undefined);
        for (const happens of events) {
          if (happens.kind === 'enqueue') {
            const { kind: _, ttl, ...some } = happens;
            const one = item({ ...some, expiresAt: now + ttl });
            if (queue.enqueue(one)) inside.add(one);
          } else if (happens.kind === 'dispatch') {
            let takes = happens.takes;
            const isAside = ({ name }: Item) => name % 4 < happens.asides;
            queue.dispatch(0, (head) => {
              if (isAside(head)) return 'aside';
              if (takes-- === 0) return 'no-room';
              const older = [...inside].find(
                (one) => one.band === head.band && one.tenant === head.tenant && !isAside(one),
              );
              expect(head).toBe(older);
              left(head);
              return 'taken';
            });
            if (takes > 0) expect([...inside].every(isAside)).toBe(true);
          } else if (happens.kind === 'remove') {
            const one = [...inside][happens.which % Math.max(1, inside.size)];
            if (one !== undefined) {
              expect(queue.remove(one)).toBe(true);
              left(one);
            }
          } else {
            now += happens.later;
            for (const one of queue.expire(now)) {
              expect(one.expiresAt).toBeLessThanOrEqual(now);
              left(one);
            }
          }
          const waiting = [...inside];
          const bytesOf = (items: Item[]) => items.reduce((sum, { bytes }) => sum + bytes, 0);
          expect(queue.size).toBe(waiting.length);
          expect(bytesOf(waiting)).toBeLessThanOrEqual(limits.maxBytes);
          for (const band of BANDS) {
            const of = waiting.filter((one) => one.band === band);
            expect(queue.sizeOf(band)).toEqual({ requests: of.length, bytes: bytesOf(of) });
            expect(of.length).toBeLessThanOrEqual(limits.bands[band].maxRequests);
            expect(bytesOf(of)).toBeLessThanOrEqual(limits.bands[band].maxBytes);
          }
          expect(queue.nextExpiry()).toBe(Math.min(Number.POSITIVE_INFINITY, ...waiting.map((one) => one.expiresAt)));
        }
        for (const one of queue.drain()) left(one);
        expect(inside.size).toBe(0);
        expect(sizes(queue)).toEqual(NOTHING);
      }),
      { numRuns: 200 },
    );
  });
});
