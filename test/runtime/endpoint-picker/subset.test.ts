import { subsetTest } from '../../../runtime/endpoint-picker/subset';

test.each([
  [undefined, '10.0.0.1:8000', true],
  [[], '10.0.0.1:8000', false],
  [['10.0.0.1:8000'], '10.0.0.1:8000', true],
  [['10.0.0.1:8000'], '10.0.0.1:8001', false],
  [['10.0.0.1'], '10.0.0.1:8001', true],
  [['10.0.0.1'], '10.0.0.11:8001', false],
  [['fd00::1'], '[fd00::1]:8000', true],
  [['[fd00::1]:8000'], '[fd00::1]:8000', true],
])('subset %j, endpoint %s: %s', (subset, address, allowed) => {
  expect(subsetTest(subset)(address)).toBe(allowed);
});
