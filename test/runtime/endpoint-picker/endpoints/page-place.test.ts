import { pagePlace } from '../../../../runtime/endpoint-picker/endpoints/page-place';

test.each(['vllm', 'sglang', 'tgi'] as const)('%s has its page at the port that serves', (engine) => {
  expect(pagePlace({ address: '10.0.0.1:8000', engine })).toEqual({ address: '10.0.0.1:8000', path: '/metrics' });
});

test("trtllm-serve has its page beside the JSON of its engine's steps", () => {
  const place = pagePlace({ address: '10.0.0.1:8000', engine: 'trtllm' });
  expect(place).toEqual({ address: '10.0.0.1:8000', path: '/prometheus/metrics' });
});

test('Triton has its page at a port of its own', () => {
  expect(pagePlace({ address: '[fd00::1]:8000', engine: 'triton' }).address).toBe('[fd00::1]:8002');
});

test.each(['vllm', 'triton'] as const)('a pod of %s can have it at another port', (engine) => {
  expect(pagePlace({ address: '10.0.0.1:8000', engine, metricsPort: 9400 }).address).toBe('10.0.0.1:9400');
});
