import fc from 'fast-check';
import type { EngineType } from '../../../../lib/translate/gateway-state';
import { ENGINE_SIGNALS } from '../../../../runtime/endpoint-picker/endpoints/engines';
import { parseMetrics } from '../../../../runtime/endpoint-picker/endpoints/metrics-parser';
import { parseWholePage, sumOfSamples } from '../support/reference-parser';
import { vllmPage } from '../support/vllm-page';

function parse(text: string, engine: EngineType = 'vllm') {
  return parseMetrics(Buffer.from(text), ENGINE_SIGNALS[engine]);
}

describe('the metrics parser', () => {
  test('reads the signals out of a whole vLLM page', () => {
    const told = parseMetrics(vllmPage({ waiting: 7, running: 31, kvUsage: 0.4375 }), ENGINE_SIGNALS.vllm);
    expect(told).toEqual({ waiting: 7, running: 31, kvUsage: 0.4375, adapters: undefined });
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
    expect(told).toEqual({ waiting: 2, running: 5, kvUsage: Number.NaN, adapters: undefined });
  });

  test('Triton without TensorRT-LLM tells the pending requests', () => {
    expect(parse('nv_inference_pending_request_count{model="m",version="1"} 4\n', 'triton').waiting).toBe(4);
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

  test('adapters are those of the newest series, and one that runs and waits counts once', () => {
    const page =
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="old",waiting_lora_adapters=""} 1.7e+09\n' +
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a, b",waiting_lora_adapters="b,c"} 1.8e+09\n' +
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="older",waiting_lora_adapters=""} 1.6e+09\n';
    expect(parse(page).adapters).toEqual({
      running: new Set(['a', 'b']),
      waiting: new Set(['b', 'c']),
      distinct: 3,
      slots: 4,
    });
  });

  test('a list of adapters without end is cut', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `a${i}`).join(',');
    const page = `vllm:lora_requests_info{max_lora="4",running_lora_adapters="${names}",waiting_lora_adapters=""} 1\n`;
    expect(parse(page).adapters?.running.size).toBe(1024);
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
      }),
      { numRuns: 400 },
    );
  });

  test('never throws and never tells an impossible number, whatever the bytes are', () => {
    const lora = 'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a",waiting_lora_adapters="b"} 1\n';
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
        for (const engine of Object.keys(ENGINE_SIGNALS) as EngineType[]) {
          for (const candidate of [bytes, bytes.subarray(0, cut)]) {
            const { waiting, running, kvUsage } = parseMetrics(candidate, ENGINE_SIGNALS[engine]);
            for (const told of [waiting, running, kvUsage]) {
              expect(Number.isNaN(told) || (Number.isFinite(told) && told >= 0)).toBe(true);
            }
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
