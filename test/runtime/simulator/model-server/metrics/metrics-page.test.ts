import { parseMetrics } from '../../../../../runtime/endpoint-picker/endpoints/metrics-parser';
import type { DialectName } from '../../../../../runtime/simulator/model-server/metrics/metrics-page';
import { eventually, metric, post, withServer } from '../with-server';

const DIALECTS: [DialectName, string[]][] = [
  [
    'vllm',
    [
      'vllm:num_requests_running{',
      'vllm:num_requests_waiting{',
      'vllm:kv_cache_usage_perc{',
      'vllm:prefix_cache_queries_total{',
      'vllm:iteration_tokens_total_count{',
      'vllm:request_queue_time_seconds_sum{',
      'vllm:cache_config_info{block_size="16"',
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="",waiting_lora_adapters=""}',
    ],
  ],
  [
    'sglang',
    ['sglang:num_running_reqs{', 'sglang:num_queue_reqs{', 'sglang:token_usage{', 'sglang:cache_config_info{'],
  ],
  ['tgi', ['tgi_queue_size ', 'tgi_batch_current_size ']],
  [
    'trtllm',
    [
      'trtllm_num_requests_waiting{',
      'trtllm_num_requests_running{',
      'trtllm_kv_cache_utilization{',
      'trtllm_kv_cache_max_blocks{',
    ],
  ],
  [
    'triton',
    [
      'nv_trt_llm_request_metrics{model="tensorrt_llm",version="1",request_type="waiting"}',
      'nv_trt_llm_kv_cache_block_metrics{model="tensorrt_llm",version="1",kv_cache_block_type="fraction"}',
    ],
  ],
];

test('the page is also where trtllm-serve has it', () =>
  withServer({ dialect: 'trtllm' }, async (server) => {
    const page = await (await fetch(`${server.url}/prometheus/metrics`)).text();
    expect(page).toContain('\ntrtllm_num_requests_waiting{');
  }));

const COMMENT = /^# (HELP [a-zA-Z_:][\w:]* .+|TYPE [a-zA-Z_:][\w:]* (counter|gauge|histogram))$/;
const SAMPLE =
  /^[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(,[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*")*\})? (\+Inf|[-+.\deE]+)$/;

test.each(DIALECTS)('%s: every line is valid text format, no family twice, and the names are there', (dialect, names) =>
  withServer({ dialect, adapters: ['ada'], metricsBytes: 53_000 }, async (server) => {
    await post(server, '/v1/completions', { model: 'ada', prompt: 'x', max_tokens: 4 });
    const response = await fetch(`${server.url}/metrics`);
    expect(response.headers.get('content-type')).toContain('version=0.0.4');
    const page = await response.text();
    const lines = page.trimEnd().split('\n');
    expect(lines.filter((line) => !(COMMENT.test(line) || SAMPLE.test(line)))).toEqual([]);
    const families = lines.filter((line) => line.startsWith('# TYPE'));
    expect(new Set(families).size).toBe(families.length);
    for (const name of names) expect(page).toContain(`\n${name}`);
    expect(Math.abs(page.length - 53_000)).toBeLessThan(3_000);
  }),
);

test('counters and the TTFT histogram count what was served, in engine time', () =>
  withServer({ speed: 1000, seed: 3 }, async (server) => {
    await post(server, '/v1/completions', { model: 'base', prompt: 'word '.repeat(400), max_tokens: 4 });
    expect(await metric(server, 'vllm:prompt_tokens_total')).toBe(500);
    expect(await metric(server, 'vllm:generation_tokens_total')).toBe(4);
    expect(await metric(server, 'vllm:time_to_first_token_seconds_count')).toBe(1);
    // Front end 22.5 ms, prefill of 500 tokens at 33,000 a second, overhead.
    const seconds = await metric(server, 'vllm:time_to_first_token_seconds_sum');
    expect(seconds).toBeGreaterThan(0.035);
    expect(seconds).toBeLessThan(0.045);
  }));

test.each([
  ['vllm', ['promptTokens', 'cachedTokens', 'generatedTokens', 'steps', 'firstTokenSum', 'decodeSum', 'finishedCount']],
  ['sglang', ['promptTokens', 'cachedTokens', 'generatedTokens', 'firstTokenSum', 'interTokenSum', 'finishedCount']],
  ['tgi', ['promptTokens', 'generatedTokens', 'steps', 'interTokenSum', 'interTokenCount', 'finishedCount']],
  ['trtllm', ['promptTokens', 'generatedTokens', 'firstTokenSum', 'interTokenSum', 'prefillSum', 'decodeSum']],
  ['triton', ['promptTokens', 'generatedTokens', 'finishedCount']],
] as const)('%s: the picker reads the counters that the real engine tells', (dialect, told) =>
  withServer({ dialect, speed: 1000, metricsBytes: 53_000 }, async (server) => {
    // The second finds its prompt in the prefix cache.
    for (let i = 0; i < 2; i++)
      await post(server, '/v1/completions', { model: 'base', prompt: 'word '.repeat(400), max_tokens: 4 });
    const page = Buffer.from(await (await fetch(`${server.url}/metrics`)).arrayBuffer());
    const { counters, kvCapacityTokens, waiting } = parseMetrics(page, dialect);
    expect(counters).toMatchObject({ promptTokens: 1000, generatedTokens: 8 });
    expect(told.filter((name) => !(counters[name] > 0))).toEqual([]);
    expect(kvCapacityTokens > 0).toBe(dialect !== 'tgi');
    expect(waiting).toBe(0);
  }),
);

test('a second request with the same prompt has a lower TTFT in engine time', () =>
  withServer({ speed: 1000, profile: 'llama-8b-a10g' }, async (server) => {
    const ask = { model: 'base', prompt: 'word '.repeat(4000), max_tokens: 1 };
    const total = () => metric(server, 'vllm:time_to_first_token_seconds_sum');
    await post(server, '/v1/completions', ask);
    const first = await total();
    await post(server, '/v1/completions', ask);
    expect((await total()) - first).toBeLessThan(first / 5);
  }));

test('the newest LoRA series tells who runs and who waits; older sets stay with their time', () =>
  withServer({ speed: 1, adapters: ['x', 'y'], maxLora: 1, overrides: { adapterLoadSeconds: 0 } }, async (server) => {
    const leaving = new AbortController();
    const ask = { prompt: 'p', max_tokens: 5000, ignore_eos: true, stream: true };
    for (const model of ['x', 'y']) await post(server, '/v1/completions', { ...ask, model }, leaving.signal);
    const series = async () => {
      const page = await (await fetch(`${server.url}/metrics`)).text();
      const lines = page.split('\n').filter((line) => line.startsWith('vllm:lora_requests_info{'));
      const newest = lines.sort((left, right) => Number(left.split(' ')[1]) - Number(right.split(' ')[1])).at(-1)!;
      return { count: lines.length, newest: newest.slice(0, newest.lastIndexOf(' ')) };
    };
    await eventually(
      async () => (await series()).newest,
      'vllm:lora_requests_info{max_lora="1",running_lora_adapters="x",waiting_lora_adapters="y"}',
    );
    leaving.abort();
    await eventually(
      async () => (await series()).newest,
      'vllm:lora_requests_info{max_lora="1",running_lora_adapters="",waiting_lora_adapters=""}',
    );
    expect((await series()).count).toBeGreaterThan(1);
  }));
