import { fastClock } from '../../support/clocks';
import { until } from '../../support/until';
import { InformerBench, SPEED } from './support/informer-bench';

let bench: InformerBench;
beforeEach(async () => {
  bench = await InformerBench.open();
});
afterEach(() => bench.close());

describe('delays', () => {
  test('double from a quarter of a second to 30 s, and go by what the server asks', async () => {
    const { delays, clock } = recordedClock();
    bench.server.answer({ code: 500, times: 1_000 });
    const started = bench.start({ clock, random: () => 0 });
    await until('it has failed often', () => started.faults.length >= 10);

    expect(delays.slice(0, 10)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
  });

  test('are no longer than allowed', async () => {
    const { delays, clock } = recordedClock();
    bench.server.answer({ code: 500, times: 1_000 });
    const started = bench.start({ clock, random: () => 0, maxBackoffMs: 4_000 });
    await until('it has failed often', () => started.faults.length >= 6);

    expect(delays.slice(0, 6)).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000]);
  });

  test('are at least what the server asks for', async () => {
    const { delays, clock } = recordedClock();
    bench.server.answer({ code: 429, retryAfter: 20 });
    const started = bench.start({ clock, random: () => 0 });
    await bench.synced(started);

    expect(delays[0]).toBe(20_000);
  });

  test('begin anew after a minute in which all was well', async () => {
    const { delays, clock } = recordedClock();
    const started = bench.start({ clock, random: () => 0 });
    await bench.synced(started);
    const failures = async (count: number) => {
      const before = started.faults.length;
      bench.server.down();
      await until('it has failed', () => started.faults.length >= before + count);
      bench.server.up();
      await until('it watches again', () => bench.server.openWatches() === 1);
    };
    await failures(3);
    expect(delays.filter((ms) => ms < 240_000).slice(0, 3)).toEqual([250, 500, 1_000]);

    await failures(1);
    expect(delays.filter((ms) => ms < 240_000)[3]).toBeGreaterThan(1_000);
    for (let second = 0; second < 70; second += 10) {
      await new Promise((resolve) => setTimeout(resolve, 10_000 / SPEED));
      bench.server.bookmark();
    }
    const before = delays.length;
    await failures(3);

    const after = delays.slice(before).filter((ms) => ms < 240_000);
    expect(after.slice(0, 3)).toEqual([250, 500, 1_000]);
  });

  function recordedClock() {
    const delays: number[] = [];
    const clock = fastClock(SPEED);
    const sleep = (ms: number, signal?: AbortSignal) => {
      delays.push(ms);
      return clock.sleep(ms, signal);
    };
    return { delays, clock: { ...clock, sleep } };
  }
});
