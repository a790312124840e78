import type { GatewayState, RewriteState, SchedulerState } from '../../../lib/translate/gateway-state';
import type { PoolStatus } from '../../../runtime/endpoint-picker/status';
import { newCounters } from '../../../runtime/ext-proc/counters';
import { createRouterMetrics } from '../../../runtime/telemetry/router-metrics';
import { gatewayState, schedulerState } from '../endpoint-picker/support/fixtures';

const pod = (name: string, metrics: PoolStatus['pods'][number]['metrics'], waiting: number, kvUsage: number) => ({
  address: '10.0.0.1:8000',
  pod: `default/${name}`,
  ready: true,
  metrics,
  waiting,
  kvUsage,
  inFlight: 2,
  picks: 5,
});

const LLAMA = { namespace: 'default', name: 'llama', modelName: 'llama' };
const CANARY: RewriteState = {
  name: 'default/canary',
  scheduler: 'default/llama',
  models: ['llama'],
  targets: [{ model: 'llama-v2', weight: 1 }],
};

function create(pools: readonly PoolStatus[] = [], schedulers: ReadonlyArray<Partial<SchedulerState>> = [LLAMA]) {
  const counters = newCounters();
  const configured: GatewayState = {
    ...gatewayState(...schedulers.map((one) => schedulerState(one))),
    rewrites: [CANARY],
  };
  let state = configured;
  const metrics = createRouterMetrics({
    state: () => state,
    pools: () => pools,
    waiting: () => [],
    counters: () => counters,
    bufferedBytes: () => 42,
  });
  return {
    counters,
    metrics,
    lines: async () => (await metrics.page()).text.split('\n'),
    configure(change: Partial<GatewayState>) {
      state = { ...configured, ...change };
    },
  };
}

test('counts a routed request by the model asked for and the model that serves', async () => {
  const { metrics, lines } = create();

  metrics.router.requestRouted({
    scheduler: 'default/llama',
    model: 'llama-v2',
    bodyBytes: 100,
    decisionMs: 0.2,
    rewrite: { name: 'default/canary', from: 'llama' },
  });

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'inference_objective_request_total{model_name="llama",target_model_name="llama-v2"} 1',
      'inference_extension_model_rewrite_decisions_total{model_rewrite_name="default/canary",model_name="llama",target_model="llama-v2"} 1',
    ]),
  );
});

test('the first bucket of the decision histogram is far below the target of 50 microseconds', async () => {
  const { metrics, lines } = create();

  metrics.picker.picked('default/llama', 'default/llama-0', 15);

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'inference_extension_scheduler_e2e_duration_seconds_bucket{le="0.00001"} 0',
      'inference_extension_scheduler_e2e_duration_seconds_bucket{le="0.00002"} 1',
    ]),
  );
});

test('counts decisions by the pod chosen, and those that were refused', async () => {
  const pools: PoolStatus[] = [{ scheduler: 'default/llama', pods: [pod('a', 'fresh', 0, 0)] }];
  const { metrics, lines } = create(pools);
  metrics.picker.refused('default/llama', 'saturated');
  metrics.picker.refused('default/llama', 'saturated');
  await lines();

  expect((await lines()).filter((line) => line.startsWith('inference_extension_scheduler_attempts_total'))).toEqual([
    'inference_extension_scheduler_attempts_total{status="success",inference_pool="default/llama",pod_name="default/a"} 5',
    'inference_extension_scheduler_attempts_total{status="saturated",inference_pool="default/llama",pod_name=""} 2',
  ]);
});

test('more models than anybody has do not make series without end', async () => {
  const adapters = Array.from({ length: 1200 }, (_, index) => `m${index}`);
  const { metrics, lines } = create([], [{ ...LLAMA, adapters }]);
  for (let i = 0; i < 1200; i++) {
    metrics.router.requestRouted({ scheduler: 'default/llama', model: `m${i}`, bodyBytes: 1, decisionMs: 1 });
  }

  const series = (await lines()).filter((line) => line.startsWith('inference_objective_request_total'));
  expect(series).toHaveLength(1001);
  expect(series).toContain('inference_objective_request_total{model_name="other",target_model_name="other"} 200');
});

test('pool averages are over the pods with fresh metrics alone', async () => {
  const { lines } = create([
    {
      scheduler: 'default/llama',
      pods: [pod('a', 'fresh', 2, 0.5), pod('b', 'fresh', 4, 0.7), pod('c', 'stale', 90, 1)],
    },
  ]);

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'inference_pool_average_queue_size{name="default/llama"} 3',
      'inference_pool_average_kv_cache_utilization{name="default/llama"} 0.6',
      'inference_pool_ready_pods{name="default/llama"} 2',
    ]),
  );
});

test('an excluded pod is not among the ready ones, and is counted by its reason', async () => {
  const pods = [pod('a', 'fresh', 0, 0), { ...pod('b', 'fresh', 0, 0), excluded: 'connection' as const }];
  const { lines } = create([{ scheduler: 'default/llama', pods }]);

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'inference_pool_ready_pods{name="default/llama"} 1',
      'inference_pool_excluded_pods{name="default/llama",reason="connection"} 1',
      'inference_pool_excluded_pods{name="default/llama",reason="refused"} 0',
    ]),
  );
});

test('counts the attempts that failed before a request was answered', async () => {
  const { metrics, lines } = create();
  metrics.picker.retried('default/llama', 2);
  metrics.picker.retried('default/llama', 1);

  expect(await lines()).toContain('inference_extension_retries_total{inference_pool="default/llama"} 3');
});

test('a pod that is gone is gone from the page', async () => {
  const pools: PoolStatus[] = [{ scheduler: 'default/llama', pods: [pod('a', 'fresh', 2, 0.5)] }];
  const { lines } = create(pools);
  await lines();

  pools.length = 0;

  expect((await lines()).filter((line) => line.includes('default/a'))).toEqual([]);
});

test('a scheduler that is gone takes its series with it, its models too, and is counted anew if it comes back', async () => {
  const other = { namespace: 'default', name: 'other', modelName: 'other-model' };
  const { metrics, lines, configure } = create([], [LLAMA, other]);
  const happens = (scheduler: string, model: string) => {
    metrics.router.requestRouted({
      scheduler,
      model,
      bodyBytes: 1,
      decisionMs: 1,
      rewrite: { name: 'default/canary', from: model },
    });
    metrics.picker.refused(scheduler, 'saturated');
    metrics.picker.servedElsewhere(scheduler, 'moved');
    metrics.picker.retried(scheduler, 1);
    metrics.picker.scraped(scheduler, 'ok', 1);
    metrics.kvEvents.kvEvents(scheduler, 'lost');
    metrics.kvEvents.tokenized(scheduler, 'ok', 1);
    metrics.admission.left(scheduler, 'standard', 'dispatched', 1);
    metrics.noAnswer(scheduler);
    metrics.decided({
      scheduler,
      model,
      endpoint: 'a',
      pickMs: 0,
      durationMs: 1,
      predictedTtftMs: 1,
      observedTtftMs: 1,
    });
  };
  happens('default/llama', 'llama');
  happens('default/other', 'other-model');
  const of = async (name: string) => (await lines()).filter((line) => line.includes(`"${name}"`));
  const before = await of('default/other');
  expect(before.length).toBeGreaterThan(50);
  expect((await of('other-model')).length).toBeGreaterThan(30);

  configure({ schedulers: [schedulerState(LLAMA)] });
  expect([...(await of('default/other')), ...(await of('other-model'))]).toEqual([]);
  expect((await of('default/llama')).length).toBe(before.length);
  // Of a request that was still under way.
  metrics.picker.retried('default/other', 1);
  expect(await of('default/other')).toEqual([]);

  configure({});
  metrics.picker.retried('default/other', 1);
  expect(await of('default/other')).toEqual(['inference_extension_retries_total{inference_pool="default/other"} 1']);
});

test('shows the counters of the protocol server as they are', async () => {
  const { counters, lines } = create();
  counters.openStreams = 3;
  counters.malformed = 7;
  await lines();

  expect(await lines()).toEqual(
    expect.arrayContaining([
      'bbr_open_streams 3',
      'bbr_stream_faults_total{kind="malformed"} 7',
      'bbr_buffered_body_bytes 42',
    ]),
  );
});
