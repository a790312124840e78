import { formatPath } from '../../../../lib/api/validation/fault';

test.each([
  [[], ''],
  [['spec'], 'spec'],
  [['spec', 'schedulers', 0, 'name'], 'spec.schedulers[0].name'],
  [['metadata', 'labels', 'example.com/app'], 'metadata.labels["example.com/app"]'],
  [['a\nb'], '["a\\nb"]'],
])('%j is written %j', (path, text) => {
  expect(formatPath(path)).toBe(text);
});
