import { durationMs } from '@bufbuild/protobuf/wkt';
import { duration } from '../../../../runtime/inference-pools/xds/duration';

test.each([0, 1, 250, 999, 1_000, 1_500, 120_000])('%d ms', (milliseconds) => {
  expect(durationMs(duration(milliseconds))).toBe(milliseconds);
});
