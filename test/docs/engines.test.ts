import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { METRICS_PORT_ANNOTATION, podSchema } from '../../lib/api/pod';
import { ENGINE_SIGNALS } from '../../runtime/endpoint-picker/endpoints/engines';
import { pagePlace } from '../../runtime/endpoint-picker/endpoints/page-place';

const page = readFileSync(join(__dirname, '../../docs/engines.md'), 'utf8');

test('every metric that is named is read', () => {
  const read = new Set(JSON.stringify(ENGINE_SIGNALS).match(/(vllm:|sglang:|tgi_|trtllm_|nv_)\w+/g));
  const named = [...page.matchAll(/`((?:vllm:|sglang:|tgi_|trtllm_|nv_)\w+)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !read.has(name))).toEqual([]);
});

test.each(['vllm', 'sglang', 'tgi', 'trtllm', 'triton'] as const)('%s has its page where the table says', (engine) => {
  const { address, path } = pagePlace({ address: '10.0.0.1:8000', engine });
  const where = address === '10.0.0.1:8000' ? 'the port that serves' : `port ${address.split(':')[1]}`;
  const row = page.split('\n').find((line) => line.startsWith(`| \`${engine}\` `));
  expect(row).toContain(`\`${path}\` of ${where}`);
});

test('the Pod names a port by the annotation that is read', () => {
  const pod = podSchema.parse(parse(/```yaml\n([\s\S]+?)```/.exec(page)![1]!));
  expect(Object.keys(pod.metadata.annotations!)).toEqual([METRICS_PORT_ANNOTATION]);
});
