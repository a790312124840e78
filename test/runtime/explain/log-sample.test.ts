import { createLogSample } from '../../../runtime/explain/log-sample';

function sample(intervalMs: number, enabled = true) {
  const clock = { ms: 0 };
  const lines: unknown[] = [];
  const log = { info: (...line: unknown[]) => lines.push(line), isLevelEnabled: () => enabled };
  return {
    clock,
    lines,
    sample: createLogSample(
      log,
      () => intervalMs,
      () => clock.ms,
    ),
  };
}

test('takes one decision of each scheduler in the interval', () => {
  const { clock, sample: log } = sample(1000);
  expect([log.takes('ns/a'), log.takes('ns/a'), log.takes('ns/b')].map(Boolean)).toEqual([true, false, true]);
  clock.ms = 999;
  expect(log.takes('ns/a')).toBeUndefined();
  clock.ms = 1000;
  expect(log.takes('ns/a')).toBeDefined();
});

test('a turn that is given back goes to the next decision, but not where another has been taken since', () => {
  const { clock, sample: log } = sample(1000);
  const refused = log.takes('ns/a');
  refused!.giveBack();
  const late = log.takes('ns/a');
  expect(late).toBeDefined();
  clock.ms = 1000;
  expect(log.takes('ns/a')).toBeDefined();
  late!.giveBack();
  expect(log.takes('ns/a')).toBeUndefined();
});

test.each([
  [0, true],
  [1000, false],
])('with an interval of %d ms and a log that is heard: %s, takes none', (interval, heard) => {
  expect(sample(interval, heard).sample.takes('ns/a')).toBeUndefined();
});

test('schedulers that come and go do not fill the memory', () => {
  const { sample: log } = sample(1000);
  for (let i = 0; i < 1000; i++) log.takes(`ns/${i}`);
  expect(log.takes('ns/0')).toBeUndefined();
  log.takes('ns/1000');
  expect(log.takes('ns/0')).toBeDefined();
});

test('a decision is a line with all that is known of it', () => {
  const { lines, sample: log } = sample(1000);
  const decision = { scheduler: 'ns/a', model: 'a', endpoint: '10.0.0.1:8000', pickMs: 1, durationMs: 5 };
  log.write(decision);
  expect(lines).toEqual([[{ decision }, 'decision']]);
});
