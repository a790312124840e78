import { parseMetrics } from '../../../../runtime/endpoint-picker/endpoints/metrics-parser';

function adaptersOf(page: string) {
  return parseMetrics(Buffer.from(page), 'vllm').adapters;
}

function loaded(name: string, level = 'gpu', value = '1.0'): string {
  return `vllm:lora_adapter_loaded{adapter_name="${name}",engine="0",level="${level}",pinned="false"} ${value}\n`;
}

const ACTIVE = 'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a",waiting_lora_adapters=""} 1.8e+09\n';

describe('the adapters of a page', () => {
  test('are those of the newest series, and one that runs and waits counts once', () => {
    const page =
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="old",waiting_lora_adapters=""} 1.7e+09\n' +
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="a, b",waiting_lora_adapters="b,c"} 1.8e+09\n' +
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="older",waiting_lora_adapters=""} 1.6e+09\n';
    expect(adaptersOf(page)).toEqual({
      running: new Set(['a', 'b']),
      waiting: new Set(['b', 'c']),
      distinct: 3,
      slots: 4,
    });
  });

  test('have names of any alphabet, and with escapes', () => {
    const page =
      'vllm:lora_requests_info{max_lora="4",running_lora_adapters="k\u00f6ln,a\\"b",waiting_lora_adapters=""} 1.8e+09\n';
    expect(adaptersOf(page)?.running).toEqual(new Set(['k\u00f6ln', 'a"b']));
  });

  test('without end are cut', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `a${i}`).join(',');
    const page = `vllm:lora_requests_info{max_lora="4",running_lora_adapters="${names}",waiting_lora_adapters=""} 1\n`;
    expect(adaptersOf(page)?.running.size).toBe(1024);
    expect(
      adaptersOf(
        ACTIVE +
          names
            .split(',')
            .map((name) => loaded(name))
            .join(''),
      )?.loaded?.size,
    ).toBe(1024);
  });

  test('are not told where nothing says how many fit', () => {
    expect(
      adaptersOf('vllm:lora_requests_info{running_lora_adapters="a",waiting_lora_adapters=""} 1\n'),
    ).toBeUndefined();
  });

  test('of an engine that tells only active ones leave it open which are loaded', () => {
    expect(adaptersOf(ACTIVE)).not.toHaveProperty('loaded');
  });

  test('that are loaded on the GPU are told also when they are idle', () => {
    const page = ACTIVE + loaded('a') + loaded('idle') + loaded('in-memory', 'cpu') + loaded('evicted', 'gpu', '0.0');
    expect(adaptersOf(page)?.loaded).toEqual(new Set(['a', 'idle']));
  });

  test('that none is loaded is told by their number alone', () => {
    expect(adaptersOf(`${ACTIVE}vllm:num_gpu_loaded_lora_adapters{engine="0"} 0.0\n`)?.loaded).toEqual(new Set());
  });

  test('are told before the first request, with the slots of their own gauge', () => {
    const page = `vllm:max_gpu_lora_adapters{engine="0"} 2.0\n${loaded('preloaded')}`;
    expect(adaptersOf(page)).toEqual({
      running: new Set(),
      waiting: new Set(),
      distinct: 0,
      slots: 2,
      loaded: new Set(['preloaded']),
    });
  });
});
