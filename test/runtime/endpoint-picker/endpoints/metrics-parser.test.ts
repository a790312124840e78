import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EngineType } from '../../../../lib/translate/gateway-state';
import { parseMetrics } from '../../../../runtime/endpoint-picker/endpoints/metrics-parser';
import { type EngineCounters, NO_COUNTERS } from '../../../../runtime/endpoint-picker/engine-metrics';
import { parseWholePage, sumOfSamples } from '../support/reference-parser';
import { vllmPage } from '../support/vllm-page';

function parse(text: string, engine: EngineType = 'vllm') {
  return parseMetrics(Buffer.from(text), engine);
}

const ENGINES: readonly EngineType[] = ['vllm', 'sglang', 'tgi', 'trtllm', 'triton'];

describe('the metrics parser', () => {
  test('reads the signals out of a whole vLLM page', () => {
    const told = parseMetrics(vllmPage({ waiting: 7, running: 31, kvUsage: 0.4375 }), 'vllm');
    expect(told).toMatchObject({ waiting: 7, running: 31, kvUsage: 0.4375, adapters: undefined });
    expect(told.kvCapacityTokens).toBe(16 * 27_447);
    expect(told.counters).toMatchObject({
      promptTokens: 8_163_281,
      firstTokenSum: 98_213.27365,
      finishedCount: 41_544,
    });
  });

  test('reads of the page of vLLM 0.32.0 what its clients had been told', () => {
    // An excerpt of a page written by a server of 40 blocks of 128 tokens. It had answered 17 requests, whose `usage`
    // added up to 3,049 prompt tokens and 700 completion tokens; one was a repetition with 5 whole blocks.
    const told = parseMetrics(readFileSync(join(__dirname, '../support/vllm-0.32.0-metrics.txt')), 'vllm');
    expect(told).toEqual({
      waiting: 0,
      running: 0,
      kvUsage: 0,
      adapters: { running: new Set(), waiting: new Set(), distinct: 0, slots: 1 },
      kvCapacityTokens: 40 * 128,
      counters: {
        promptTokens: 3049,
        cachedTokens: 5 * 128,
        generatedTokens: 700,
        steps: 261,
        firstTokenSum: 15.806460857391357,
        firstTokenCount: 17,
        interTokenSum: 17.802912944998752,
        interTokenCount: 700 - 17,
        queueSum: 12.125445537001724,
        prefillSum: 1.1612457500050368,
        decodeSum: 17.802912944998752,
        finishedCount: 17,
      },
    });
  });

  test.each([
    ['vllm', 'vllm:num_requests_waiting 1\nvllm:num_requests_running 2\nvllm:gpu_cache_usage_perc 0.5\n'],
    ['sglang', 'sglang:num_queue_reqs{tp_rank="0"} 1\nsglang:num_running_reqs 2\nsglang:token_usage 0.5\n'],
    ['trtllm', 'trtllm_num_requests_waiting 1\ntrtllm_num_requests_running 2\ntrtllm_kv_cache_utilization 0.5\n'],
    [
      'triton',
      'nv_trt_llm_request_metrics{model="m",request_type="waiting"} 1\n' +
        'nv_trt_llm_request_metrics{model="m",request_type="context"} 9\n' +
        'nv_trt_llm_request_metrics{model="m",request_type="scheduled"} 2\n' +
        'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction"} 0.5\n' +
        'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max"} 900\n',
    ],
  ] as Array<[EngineType, string]>)('knows the names of %s', (engine, page) => {
    expect(parse(page, engine)).toMatchObject({ waiting: 1, running: 2, kvUsage: 0.5 });
  });

  test('TGI tells queue and batch, and nothing of its KV cache', () => {
    const told = parse('tgi_batch_current_size 5\ntgi_queue_size 2\n', 'tgi');
    expect(told).toMatchObject({ waiting: 2, running: 5, kvUsage: Number.NaN, adapters: undefined });
  });

  test('Triton without TensorRT-LLM tells the pending requests', () => {
    expect(parse('nv_inference_pending_request_count{model="m",version="1"} 4\n', 'triton').waiting).toBe(4);
  });

  const counters = (change: Partial<EngineCounters>): EngineCounters => ({ ...NO_COUNTERS, ...change });

  test('reads the counters of vLLM', () => {
    const page = `# HELP vllm:prefix_cache_hits_total Prefix cache hits, in terms of number of cached tokens.
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 4096.0
# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="m"} 1.234567e+06
# TYPE vllm:prompt_tokens_created gauge
vllm:prompt_tokens_created{engine="0",model_name="m"} 1.79e+09
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} 98765.0
# TYPE vllm:iteration_tokens_total histogram
vllm:iteration_tokens_total_bucket{engine="0",le="1.0",model_name="m"} 7.0
vllm:iteration_tokens_total_bucket{engine="0",le="+Inf",model_name="m"} 5000.0
vllm:iteration_tokens_total_count{engine="0",model_name="m"} 5000.0
vllm:iteration_tokens_total_sum{engine="0",model_name="m"} 123456.0
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="m"} 300.0
vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 300.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 45.25
# TYPE vllm:inter_token_latency_seconds histogram
vllm:inter_token_latency_seconds_count{engine="0",model_name="m"} 98465.0
vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"} 1969.5
# TYPE vllm:request_queue_time_seconds histogram
vllm:request_queue_time_seconds_count{engine="0",model_name="m"} 290.0
vllm:request_queue_time_seconds_sum{engine="0",model_name="m"} 3.5
# TYPE vllm:request_prefill_time_seconds histogram
vllm:request_prefill_time_seconds_count{engine="0",model_name="m"} 290.0
vllm:request_prefill_time_seconds_sum{engine="0",model_name="m"} 38.125
# TYPE vllm:request_decode_time_seconds histogram
vllm:request_decode_time_seconds_count{engine="0",model_name="m"} 290.0
vllm:request_decode_time_seconds_sum{engine="0",model_name="m"} 1900.75
`;
    expect(parse(page).counters).toEqual({
      promptTokens: 1_234_567,
      cachedTokens: 4096,
      generatedTokens: 98_765,
      steps: 5000,
      firstTokenSum: 45.25,
      firstTokenCount: 300,
      interTokenSum: 1969.5,
      interTokenCount: 98_465,
      queueSum: 3.5,
      prefillSum: 38.125,
      decodeSum: 1900.75,
      finishedCount: 290,
    });
  });

  test("knows vLLM's names of other versions", () => {
    const page =
      'vllm:prompt_tokens 10\nvllm:prompt_tokens_cached_total 4\nvllm:prefix_cache_hits_total 5\n' +
      'vllm:generation_tokens 20\n' +
      'vllm:time_per_output_token_seconds_sum 3\nvllm:time_per_output_token_seconds_count 30\n';
    expect(parse(page).counters).toEqual(
      counters({ promptTokens: 10, cachedTokens: 4, generatedTokens: 20, interTokenSum: 3, interTokenCount: 30 }),
    );
  });

  test('reads the counters of SGLang, whose cached tokens have a series for each kind of cache', () => {
    const page = `# TYPE sglang:queue_time_seconds histogram
sglang:queue_time_seconds_sum{model_name="m",tp_rank="0"} 1.5
sglang:queue_time_seconds_bucket{le="0.0",model_name="m",tp_rank="0"} 3.0
sglang:queue_time_seconds_count{model_name="m",tp_rank="0"} 12.0
# TYPE sglang:prompt_tokens_total counter
sglang:prompt_tokens_total{model_name="m"} 8128.0
# TYPE sglang:cached_tokens_total counter
sglang:cached_tokens_total{cache_source="device",model_name="m"} 64.0
sglang:cached_tokens_total{cache_source="host",model_name="m"} 32.0
# TYPE sglang:generation_tokens_total counter
sglang:generation_tokens_total{model_name="m"} 7557.0
# TYPE sglang:time_to_first_token_seconds histogram
sglang:time_to_first_token_seconds_sum{model_name="m"} 2.25
sglang:time_to_first_token_seconds_count{model_name="m"} 12.0
# TYPE sglang:inter_token_latency_seconds histogram
sglang:inter_token_latency_seconds_sum{model_name="m"} 75.5
sglang:inter_token_latency_seconds_count{model_name="m"} 7545.0
`;
    expect(parse(page, 'sglang').counters).toEqual(
      counters({
        promptTokens: 8128,
        cachedTokens: 96,
        generatedTokens: 7557,
        firstTokenSum: 2.25,
        firstTokenCount: 12,
        interTokenSum: 75.5,
        interTokenCount: 7545,
        queueSum: 1.5,
        finishedCount: 12,
      }),
    );
  });

  test('reads the counters of TGI, with the time of a decode step for the inter-token latency', () => {
    const page = `# TYPE tgi_request_input_length histogram
tgi_request_input_length_bucket{le="40"} 3
tgi_request_input_length_sum 6000
tgi_request_input_length_count 30
# TYPE tgi_request_generated_tokens histogram
tgi_request_generated_tokens_sum 900
tgi_request_generated_tokens_count 28
# TYPE tgi_request_queue_duration histogram
tgi_request_queue_duration_sum 0.75
tgi_request_queue_duration_count 28
# TYPE tgi_batch_inference_duration histogram
tgi_batch_inference_duration_bucket{method="prefill",le="0.1"} 1
tgi_batch_inference_duration_sum{method="prefill"} 4
tgi_batch_inference_duration_count{method="prefill"} 20
tgi_batch_inference_duration_sum{method="decode"} 12.5
tgi_batch_inference_duration_count{method="decode"} 500
`;
    expect(parse(page, 'tgi').counters).toEqual(
      counters({
        promptTokens: 6000,
        generatedTokens: 900,
        steps: 520,
        interTokenSum: 12.5,
        interTokenCount: 500,
        queueSum: 0.75,
        finishedCount: 28,
      }),
    );
  });

  test('reads the counters of TensorRT-LLM', () => {
    const page = `# TYPE trtllm_time_to_first_token_seconds histogram
trtllm_time_to_first_token_seconds_count{engine_type="trtllm",model_name="m"} 9.0
trtllm_time_to_first_token_seconds_sum{engine_type="trtllm",model_name="m"} 1.8
# TYPE trtllm_time_per_output_token_seconds histogram
trtllm_time_per_output_token_seconds_count{engine_type="trtllm",model_name="m"} 9.0
trtllm_time_per_output_token_seconds_sum{engine_type="trtllm",model_name="m"} 0.27
# TYPE trtllm_request_queue_time_seconds histogram
trtllm_request_queue_time_seconds_count{engine_type="trtllm",model_name="m"} 9.0
trtllm_request_queue_time_seconds_sum{engine_type="trtllm",model_name="m"} 0.9
# TYPE trtllm_request_prefill_time_seconds histogram
trtllm_request_prefill_time_seconds_sum{engine_type="trtllm",model_name="m"} 0.8
# TYPE trtllm_request_decode_time_seconds histogram
trtllm_request_decode_time_seconds_sum{engine_type="trtllm",model_name="m"} 40.5
# TYPE trtllm_prompt_tokens_total counter
trtllm_prompt_tokens_total{engine_type="trtllm",model_name="m"} 9000.0
# TYPE trtllm_generation_tokens_total counter
trtllm_generation_tokens_total{engine_type="trtllm",model_name="m"} 1350.0
`;
    expect(parse(page, 'trtllm').counters).toEqual(
      counters({
        promptTokens: 9000,
        generatedTokens: 1350,
        firstTokenSum: 1.8,
        firstTokenCount: 9,
        interTokenSum: 0.27,
        interTokenCount: 9,
        queueSum: 0.9,
        prefillSum: 0.8,
        decodeSum: 40.5,
        finishedCount: 9,
      }),
    );
  });

  test('reads the tokens that Triton counts', () => {
    const page = `# TYPE nv_llm_input_token_len histogram
nv_llm_input_token_len_count{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"} 8
nv_llm_input_token_len_sum{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"} 811
nv_llm_input_token_len_bucket{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1",le="10"} 0
# TYPE nv_llm_output_token_len histogram
nv_llm_output_token_len_count{model="tensorrt_llm",response_metric_type="total_output_tokens",version="1"} 8
nv_llm_output_token_len_sum{model="tensorrt_llm",response_metric_type="total_output_tokens",version="1"} 420
`;
    expect(parse(page, 'triton').counters).toEqual(
      counters({ promptTokens: 811, generatedTokens: 420, finishedCount: 8 }),
    );
  });

  test.each([
    ['vllm', 'vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="1000"} 1.0\n', 16_000],
    [
      'vllm',
      'vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="1000"} 1.0\n' +
        'vllm:cache_config_info{block_size="16",engine="1",num_gpu_blocks="500"} 1.0\n',
      24_000,
    ],
    ['vllm', 'vllm:cache_config_info{block_size="16",num_gpu_blocks="None"} 1.0\n', Number.NaN],
    ['sglang', 'sglang:max_total_num_tokens{tp_rank="0"} 425984.0\n', 425_984],
    ['sglang', 'sglang:cache_config_info{page_size="64",num_pages="100"} 1.0\n', 6400],
    ['sglang', 'sglang:page_size 64.0\nsglang:num_pages 100.0\n', 6400],
    ['tgi', 'tgi_batch_current_max_tokens 5000\n', Number.NaN],
    ['trtllm', 'trtllm_kv_cache_max_blocks 100.0\ntrtllm_kv_cache_tokens_per_block 32.0\n', 3200],
    [
      'triton',
      'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="m"} 64\n' +
        'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="used",model="m"} 1\n' +
        'nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="m"} 6239\n',
      399_296,
    ],
  ] as Array<[EngineType, string, number]>)('the KV cache of %s by %j holds %d tokens', (engine, page, tokens) => {
    expect(parse(page, engine).kvCapacityTokens).toBe(tokens);
  });

  test('counters of ranks are added up', () => {
    const page =
      'vllm:time_to_first_token_seconds_sum{engine="0"} 1.5\nvllm:time_to_first_token_seconds_sum{engine="1"} 2.5\n';
    expect(parse(page).counters.firstTokenSum).toBe(4);
  });

  test('a restarted engine is read as it tells it: lower than before', () => {
    const page = (tokens: number) => `vllm:prompt_tokens_total{engine="0"} ${tokens}.0\n`;
    const told = [page(5000), page(30)].map((text) => parse(text).counters.promptTokens);
    expect(told).toEqual([5000, 30]);
  });

  test('a histogram that is not wanted hides none after it', () => {
    const page =
      '# TYPE vllm:e2e_request_latency_seconds histogram\n' +
      'vllm:e2e_request_latency_seconds_bucket{le="0.3"} 7.0\nvllm:e2e_request_latency_seconds_sum 9.0\n' +
      '# TYPE vllm:request_queue_time_seconds histogram\nvllm:request_queue_time_seconds_sum 4.0\n';
    expect(parse(page).counters.queueSum).toBe(4);
  });

  test('ranks of one server are added up, their KV usage is the mean', () => {
    const page =
      'vllm:num_requests_waiting{engine="0"} 1\nvllm:num_requests_waiting{engine="1"} 2\n' +
      'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.6\n';
    expect(parse(page).waiting).toBe(3);
    expect(parse(page).kvUsage).toBeCloseTo(0.4);
  });

  test('comments and longer names are not the metric', () => {
    const page =
      '# HELP vllm:num_requests_waiting 5\nvllm:num_requests_waiting_by_reason{reason="capacity"} 9\n' +
      'my_vllm:num_requests_waiting 8\nvllm:num_requests_waiting 1\n';
    expect(parse(page).waiting).toBe(1);
  });

  test.each([
    ['vllm:num_requests_waiting 3 1712345678000\n', 3],
    ['vllm:num_requests_waiting{a="}\\"x\\\\"} 3 # {trace="1"} 2.0\r\n', 3],
    ['vllm:num_requests_waiting\t{a="b",}\t3e0', 3],
    ['vllm:num_requests_waiting -1\n', 0],
    ['vllm:num_requests_waiting NaN\n', Number.NaN],
    ['vllm:num_requests_waiting +Inf\n', Number.NaN],
    ['vllm:num_requests_waiting{a="b\n', Number.NaN],
    ['vllm:num_requests_waiting 0x10\n', Number.NaN],
    ['vllm:num_requests_waiting \n', Number.NaN],
    ['vllm:num_requests_waiting', Number.NaN],
    ['', Number.NaN],
  ])('reads %j as %d', (page, waiting) => {
    expect(parse(page).waiting).toBe(waiting);
  });

  const value = fc.oneof(
    fc.double().map(String),
    fc.nat().map((n) => `${n}.0`),
    fc.constantFrom('NaN', '+Inf', '-Inf', '1e3', '0x1f', 'x', ''),
  );
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '}', '{', ',', '=', ' ', 'é', '#') });
  const escaped = text.map((raw) => raw.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n'));
  const labels = fc
    .array(fc.tuple(fc.constantFrom('engine', 'model_name', 'le'), escaped), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `{${pairs.map(([name, raw]) => `${name}="${raw}"`).join(',')}}`));
  const sampleOf = (name: string) =>
    fc
      .tuple(labels, value, fc.constantFrom('', ' 1712345678'))
      .map((parts) => `${name}${parts[0]} ${parts[1]}${parts[2]}`);
  const group = (name: string) => fc.array(sampleOf(name), { maxLength: 4 });
  const page = fc
    .tuple(
      group('vllm:num_requests_running'),
      group('vllm:num_requests_waiting_by_reason'),
      group('vllm:num_requests_waiting'),
      group('vllm:request_success_total'),
      group('vllm:time_to_first_token_seconds_bucket'),
      group('vllm:time_to_first_token_seconds_sum'),
    )
    .map((groups) =>
      groups
        .map((lines) => ['# HELP vllm:num_requests_waiting is 4', ...lines].join('\n'))
        .join('\n')
        .concat('\n'),
    );

  test('agrees with a reading of the whole page', () => {
    fc.assert(
      fc.property(page, (generated) => {
        const samples = parseWholePage(generated);
        const told = parse(generated);
        const sum = sumOfSamples(samples, 'vllm:num_requests_waiting');
        expect(told.waiting).toBe(Math.min(sum, Number.MAX_SAFE_INTEGER));
        const running = sumOfSamples(samples, 'vllm:num_requests_running');
        expect(told.running).toBe(Math.min(running, Number.MAX_SAFE_INTEGER));
        const firstToken = sumOfSamples(samples, 'vllm:time_to_first_token_seconds_sum');
        expect(told.counters.firstTokenSum).toBe(Math.min(firstToken, Number.MAX_SAFE_INTEGER));
      }),
      { numRuns: 400 },
    );
  });

  test('never throws and never tells an impossible number, whatever the bytes are', () => {
    const lora =
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a",waiting_lora_adapters="b"} 1\n' +
      'vllm:lora_adapter_loaded{adapter_name="a",level="gpu",pinned="false"} 1.0\n' +
      'vllm:cache_config_info{block_size="16",num_gpu_blocks="900"} 1.0\n';
    const whole = vllmPage({ waiting: 1, running: 2, kvUsage: 0.5 }).subarray(0, 6000).toString('latin1') + lora;
    const damage = fc.array(fc.tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 4 }), fc.nat(6)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(damage, fc.nat(whole.length), (edits, cut) => {
        let bytes = Buffer.from(whole, 'latin1');
        for (const [at, insert, drop] of edits) {
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(insert), bytes.subarray(at + drop)]);
        }
        for (const engine of ENGINES) {
          for (const candidate of [bytes, bytes.subarray(0, cut)]) {
            const { waiting, running, kvUsage, kvCapacityTokens, counters } = parseMetrics(candidate, engine);
            for (const told of [waiting, running, kvUsage, kvCapacityTokens, ...Object.values(counters)]) {
              expect(Number.isNaN(told) || (Number.isFinite(told) && told >= 0)).toBe(true);
            }
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
