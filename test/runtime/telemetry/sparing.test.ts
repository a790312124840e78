import { sparing } from '../../../runtime/telemetry/sparing';

test('each text is told once in a while, whatever others come between', () => {
  const told: string[] = [];
  let now = 0;
  const tell = sparing(
    (text) => told.push(text),
    () => now,
    100,
  );
  for (now = 0; now < 250; now += 10) {
    tell('a');
    tell('b');
  }
  expect(told.join('')).toBe('ababab');
});

test('what is always another text is told of only so often', () => {
  const told: string[] = [];
  let now = 0;
  const tell = sparing(
    (text) => told.push(text),
    () => now,
    100,
  );
  for (let index = 0; index < 1_000; index++) tell(String(index));
  expect(told).toHaveLength(64);
  now = 100;
  tell('later');
  expect(told.at(-1)).toBe('later');
});
