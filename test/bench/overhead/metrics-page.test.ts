import { createMetricsPages } from './metrics-page';

const pages = createMetricsPages('a-model');
const value = (page: string, name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(page)?.[1]);

test('every page is as long as a real one', () => {
  for (const page of [pages.idle, ...pages.busy]) expect(Buffer.byteLength(page)).toBe(pages.bytes);
});

test('busy pods always run something, and their figures move', () => {
  for (const name of ['vllm:num_requests_running', 'vllm:num_requests_waiting', 'vllm:kv_cache_usage_perc']) {
    expect(new Set(pages.busy.map((page) => value(page, name))).size).toBeGreaterThan(2);
  }
  expect(Math.min(...pages.busy.map((page) => value(page, 'vllm:num_requests_running')))).toBeGreaterThan(0);
});

test('idle pods run nothing', () => {
  expect(value(pages.idle, 'vllm:num_requests_running')).toBe(0);
});
