import { MAX_TOKENS } from '../../../../runtime/endpoint-picker/admission/flow-queue';
import type { PendingPick } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { gatewayState, schedulerState } from '../support/fixtures';
import { admissionRig, FLOW_CONTROL, LOAD_MS, REQUEST } from './support';

const NO_FLOW_CONTROL = { overload: { ...schedulerState().overload, emptyPoolHoldMs: 10_000 } };

describe('without flow control', () => {
  test('a request for a pool with a ready endpoint is picked at once, whatever its room', () => {
    const { ask, rooms } = admissionRig({});
    expect(ask().outcome).toBe('picked');
    expect(rooms).toEqual([]);
  });

  test('a request for an empty pool is held, and goes when an endpoint becomes ready', () => {
    const rig = admissionRig(NO_FLOW_CONTROL);
    rig.world.ready = false;
    const held = rig.ask();
    rig.pass(5000);
    expect(held.outcome).toBeUndefined();
    rig.world.ready = true;
    rig.admission.roomChanged('models/llama');
    expect(held.outcome).toBe('picked');
  });

  test('a pool that stays empty answers no-endpoints after the hold, not before', () => {
    const rig = admissionRig(NO_FLOW_CONTROL);
    rig.world.ready = false;
    const held = rig.ask();
    rig.pass(9999);
    expect(held.outcome).toBeUndefined();
    rig.pass(2);
    expect(held.outcome).toBe('no-endpoints');
    expect(rig.timers.size).toBe(0);
  });

  test('without a hold an empty pool answers at once', () => {
    const rig = admissionRig({});
    rig.world.ready = false;
    expect(rig.ask().outcome).toBe('no-endpoints');
  });

  test('time held by another replica counts', () => {
    const rig = admissionRig(NO_FLOW_CONTROL);
    rig.world.ready = false;
    const held = rig.ask({ heldMs: 8000 });
    rig.pass(2001);
    expect(held.outcome).toBe('no-endpoints');
  });
});

describe('with flow control', () => {
  test('a request with room is picked at once, by the room of its band', () => {
    const rig = admissionRig();
    rig.world.places = 3;
    for (const priority of [1, 0, -1]) expect(rig.ask({ priority }).outcome).toBe('picked');
    const [critical, standard, sheddable] = rig.rooms;
    expect(critical!.startMs).toBeGreaterThan(standard!.startMs);
    expect(standard!.startMs).toBeGreaterThan(sheddable!.startMs);
    expect(critical!.kvShare).toBeGreaterThan(standard!.kvShare);
    expect(standard!.kvShare).toBeGreaterThan(sheddable!.kvShare);
  });

  test('a request without room waits, and goes when room comes', () => {
    const rig = admissionRig();
    const held = rig.ask();
    expect(held.outcome).toBeUndefined();
    rig.free(1);
    expect(held.outcome).toBe('picked');
    expect(rig.events).toEqual([['left', 'models/llama', 'standard', 'dispatched', 0]]);
  });

  test('room that comes by time alone is found', () => {
    const rig = admissionRig();
    const held = rig.ask();
    rig.world.places = 1;
    rig.pass(1000);
    expect(held.outcome).toBe('picked');
  });

  test('higher bands go first, and within a band who came first', () => {
    const rig = admissionRig();
    for (const [model, priority] of [
      ['s1', -1],
      ['n1', 0],
      ['c1', 5],
      ['n2', 0],
      ['c2', 1],
    ] as const) {
      rig.ask({ model, priority });
    }
    rig.free(5);
    expect(rig.sent.map(({ model }) => model)).toEqual(['c1', 'c2', 'n1', 'n2', 's1']);
  });

  describe('a request whose adapter is held by full endpoints only', () => {
    function rigWithFullAdapter() {
      const rig = admissionRig();
      rig.world.fullAdapters.add('sql');
      rig.world.places = 100;
      const ask = (adapter?: string) => rig.ask({ model: adapter ?? 'llama', ...(adapter && { adapter }) });
      return { ...rig, ask };
    }

    test('waits for one of them, while others go', () => {
      const rig = rigWithFullAdapter();
      const held = rig.ask('sql');
      for (const adapter of ['chat', undefined, 'chat']) expect(rig.ask(adapter).outcome).toBe('picked');
      expect(held.outcome).toBeUndefined();
      rig.world.fullAdapters.clear();
      rig.admission.roomChanged('models/llama');
      expect(held.outcome).toBe('picked');
    });

    test('has it loaded elsewhere when it has waited for as long as that takes', () => {
      const rig = rigWithFullAdapter();
      const held = rig.ask('sql');
      rig.pass(LOAD_MS - 1);
      expect(held.outcome).toBeUndefined();
      rig.pass(21);
      expect(held.outcome).toBe('picked');
    });

    test('costs one decision at a time, however many wait', () => {
      const rig = rigWithFullAdapter();
      for (let i = 0; i < 50; i++) rig.ask('sql');
      const before = rig.decisions();
      rig.admission.roomChanged('models/llama');
      expect(rig.decisions()).toBe(before + 1);
    });

    test('is one of a bounded number of adapters that are asked about at a time', () => {
      const rig = rigWithFullAdapter();
      for (let i = 0; i < 50; i++) rig.world.fullAdapters.add(`a${i}`);
      for (let i = 0; i < 50; i++) rig.ask(`a${i}`);
      const before = rig.decisions();
      rig.admission.roomChanged('models/llama');
      expect(rig.decisions() - before).toBeLessThanOrEqual(16);
    });

    test('does not wait where its time is over', () => {
      const rig = rigWithFullAdapter();
      expect(rig.admission.pick({ ...REQUEST, adapter: 'sql', heldMs: 10_000 })).toMatchObject({ outcome: 'picked' });
    });

    test('does not wait where it has no place to wait in', () => {
      const rig = rigWithFullAdapter();
      expect(rig.ask('sql').outcome).toBeUndefined();
      const none = admissionRig({
        flowControl: {
          ...FLOW_CONTROL,
          bands: { ...FLOW_CONTROL.bands, standard: { ttlMs: 10_000, maxRequests: 0, maxBytes: 0 } },
        },
      });
      none.world.places = 1;
      none.world.fullAdapters.add('sql');
      expect(none.ask({ model: 'sql', adapter: 'sql' }).outcome).toBe('picked');
    });
  });

  test('nobody passes by those who wait, even where room has come unnoticed', () => {
    const rig = admissionRig();
    rig.ask({ model: 'first', priority: 1 });
    rig.world.places = 2;
    rig.ask({ model: 'second', priority: 1 });
    expect(rig.sent.map(({ model }) => model)).toEqual(['first', 'second']);
  });

  test('a request that has waited for its time to live is refused with Retry-After within the bounds', () => {
    const rig = admissionRig();
    const standard = rig.ask();
    const sheddable = rig.ask({ priority: -1 });
    rig.pass(5001);
    expect([standard.outcome, sheddable.outcome]).toEqual([undefined, 'expired']);
    rig.pass(5000);
    expect(standard.result).toEqual({ outcome: 'expired', retryAfterSeconds: 3 });
  });

  test('a request that has waited while its pool became empty is told so', () => {
    const rig = admissionRig();
    const held = Array.from({ length: 50 }, () => rig.ask());
    rig.world.ready = false;
    rig.pass(10_001);
    for (const { result } of held) expect(result).toEqual({ outcome: 'no-endpoints', retryAfterSeconds: 1 });
  });

  test('a band that is full refuses at once', () => {
    const rig = admissionRig();
    const held = Array.from({ length: 100 }, () => rig.ask());
    expect(held.every(({ outcome }) => outcome === undefined)).toBe(true);
    expect(rig.ask().outcome).toBe('queue-full');
    expect(rig.ask({ priority: 1 }).outcome).toBeUndefined();
  });

  test('Retry-After follows the measured drain: what is ahead, by the rate at which requests were let go', () => {
    const rig = admissionRig();
    const requests = Array.from({ length: 60 }, () => rig.ask());
    // Two a second.
    for (let second = 0; second < 5; second++) {
      rig.pass(1000);
      rig.free(2);
    }
    expect(requests.filter(({ outcome }) => outcome === 'picked')).toHaveLength(10);
    rig.pass(5001);
    const expired = requests.filter(({ outcome }) => outcome === 'expired');
    expect(expired.length).toBeGreaterThan(0);
    const seconds = expired[0]!.result as { retryAfterSeconds: number };
    expect(seconds.retryAfterSeconds).toBeGreaterThan(10);
    expect(seconds.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test.each([
    ['there is no place for its band', {}, { critical: { maxRequests: 0 } }],
    ['its body is larger than what its band may hold', { bodyBytes: 1_100_000 }, {}],
  ])('a request goes at once before lower bands where there is room although %s', (_, request, changed) => {
    const bands = { ...FLOW_CONTROL.bands };
    bands.critical = { ...bands.critical, ...(changed as { critical?: object }).critical };
    const rig = admissionRig({ flowControl: { ...FLOW_CONTROL, bands } });
    const lower = rig.ask({ priority: -1 });
    expect(rig.ask({ ...request, priority: 1 }).outcome).toBe('queue-full');
    rig.world.places = 2;
    expect(rig.ask({ ...request, priority: 1 }).outcome).toBe('picked');
    expect(lower.outcome).toBe('picked');
  });

  test('Retry-After of a band does not count what other bands are let go', () => {
    const rig = admissionRig();
    for (let i = 0; i < 100; i++) rig.ask({ priority: -1 });
    // Critical takes the room: twenty requests a second, and one of Sheddable for twenty of them.
    for (let i = 0; i < 80; i++) {
      rig.ask({ priority: 1 });
      rig.pass(50);
      rig.free(1);
    }
    while (rig.admission.waiting()[0]!.bands.sheddable.requests < 100) rig.ask({ priority: -1 });
    expect(rig.ask({ priority: -1 }).result).toMatchObject({ outcome: 'queue-full', retryAfterSeconds: 60 });
  });

  test('a request for which the picker throws fails alone, and those behind it go on', async () => {
    const rig = admissionRig();
    const broken = rig.ask({ model: 'broken' });
    const promised = rig.admission.pick({ ...REQUEST, model: 'broken' }) as PendingPick;
    const behind = rig.ask();
    rig.world.throwsFor = 'broken';
    rig.free(1);
    expect([broken.outcome, behind.outcome]).toEqual(['failed', 'picked']);
    await expect(promised.result).rejects.toThrow('the picker is broken');
    expect(rig.admission.waiting()[0]!.bands.standard.requests).toBe(0);
    expect(rig.timers.size).toBe(0);
  });

  test('what fails at once throws, as a pick does', () => {
    const rig = admissionRig();
    rig.ask({ priority: -1 });
    rig.world.throwsFor = 'broken';
    expect(() => rig.admission.pick({ ...REQUEST, model: 'broken' })).toThrow('the picker is broken');
  });

  test('a request that expires sooner than what was waited for is not answered late', () => {
    const rig = admissionRig(NO_FLOW_CONTROL);
    rig.world.ready = false;
    rig.ask();
    rig.pass(10);
    const nearlyOver = rig.ask({ heldMs: 9950 });
    rig.pass(51);
    expect(nearlyOver.outcome).toBe('no-endpoints');
  });

  test('room is looked for often as soon as a pool is ready again', () => {
    const rig = admissionRig({ ...NO_FLOW_CONTROL, flowControl: FLOW_CONTROL });
    rig.world.ready = false;
    const held = rig.ask();
    rig.world.ready = true;
    rig.admission.roomChanged('models/llama');
    rig.world.places = 1;
    rig.pass(50);
    expect(held.outcome).toBe('picked');
  });

  test('a tenant pays for each of the answers that a request asks for', () => {
    const rig = admissionRig();
    rig.ask({ model: 'head', tenant: 'other' });
    rig.ask({ model: 'thousand', tenant: 'many', maxOutputTokens: 10, answers: 1000 });
    rig.ask({ model: 'one', tenant: 'few', maxOutputTokens: 10 });
    rig.free(3);
    expect(rig.sent.map(({ model }) => model)).toEqual(['head', 'one', 'thousand']);
  });

  test('a tenant pays for all that the largest request of an engine can be, and for no more', () => {
    const rig = admissionRig();
    rig.ask({ model: 'head', tenant: 'other' });
    for (const [tenant, maxOutputTokens] of [
      ['beyond', 2 ** 40],
      ['largest', MAX_TOKENS],
      ['smaller', MAX_TOKENS - 10_000],
    ] as const) {
      rig.ask({ model: tenant, tenant, maxOutputTokens });
    }
    rig.free(4);
    expect(rig.sent.map(({ model }) => model)).toEqual(['head', 'smaller', 'beyond', 'largest']);
  });

  test('without flow control an empty pool holds no more than a part of what the router may', () => {
    const rig = admissionRig(NO_FLOW_CONTROL);
    rig.world.ready = false;
    const held = Array.from({ length: 3 }, () => rig.ask({ bodyBytes: 32 * 2 ** 20 }).outcome);
    expect(held).toEqual([undefined, undefined, 'queue-full']);
  });

  test('a cancelled request leaves its place, and is settled once', () => {
    const rig = admissionRig();
    const held = rig.ask();
    held.cancel();
    held.cancel();
    expect(held.outcome).toBe('cancelled');
    expect(rig.admission.waiting()[0]!.bands.standard).toEqual({ requests: 0, bytes: 0 });
    expect(rig.timers.size).toBe(0);
    rig.free(1);
    expect(rig.sent).toEqual([]);
  });

  test('cancelling a request that was picked does nothing: its ticket is the caller’s', () => {
    const rig = admissionRig();
    const held = rig.ask();
    rig.free(1);
    held.cancel();
    expect(held.outcome).toBe('picked');
  });

  test('flow control that is turned off lets go of all that waits', () => {
    const rig = admissionRig();
    const held = [rig.ask(), rig.ask({ priority: -1 })];
    const { flowControl, ...without } = rig.scheduler;
    expect(flowControl).toBe(FLOW_CONTROL);
    rig.admission.update(gatewayState(without));
    expect(held.map(({ outcome }) => outcome)).toEqual(['picked', 'picked']);
  });

  test('a scheduler that is gone refuses what waits for it', () => {
    const rig = admissionRig();
    const held = rig.ask();
    rig.admission.update(gatewayState());
    expect(held.outcome).toBe('no-endpoints');
    expect(rig.timers.size).toBe(0);
  });

  test('closing refuses all that waits, and all that comes', () => {
    const rig = admissionRig();
    const held = rig.ask();
    rig.admission.close();
    expect([held.outcome, rig.ask().outcome]).toEqual(['shutting-down', 'shutting-down']);
    expect(rig.timers.size).toBe(0);
  });

  test('what waits is told by band', () => {
    const rig = admissionRig();
    rig.ask({ priority: 1, bodyBytes: 500 });
    rig.ask({ bodyBytes: 700 });
    expect(rig.admission.waiting()).toEqual([
      {
        scheduler: 'models/llama',
        bands: {
          critical: { requests: 1, bytes: 500 },
          standard: { requests: 1, bytes: 700 },
          sheddable: { requests: 0, bytes: 0 },
        },
      },
    ]);
  });

  test('a pick that is made at once is no promise, one that is held is', async () => {
    const rig = admissionRig();
    rig.world.places = 1;
    expect(rig.admission.pick(REQUEST)).toMatchObject({ outcome: 'picked' });
    const pending = rig.admission.pick(REQUEST) as PendingPick;
    rig.free(1);
    expect(await pending.result).toMatchObject({ outcome: 'picked' });
  });
});

describe('a request that may go to a part of the pool only', () => {
  test('never waits: without room there it is saturated, and nobody is held back behind it', () => {
    const rig = admissionRig();
    expect(rig.ask({ subset: ['10.0.0.1:8000'] }).outcome).toBe('saturated');
    rig.world.places = 1;
    expect(rig.ask().outcome).toBe('picked');
  });

  test('is told no-endpoints where none of them is ready', () => {
    const rig = admissionRig();
    rig.world.ready = false;
    expect(rig.ask({ subset: ['10.0.0.1:8000'] }).outcome).toBe('no-endpoints');
  });
});
