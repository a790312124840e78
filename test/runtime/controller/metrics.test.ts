import { createControllerMetrics } from '../../../runtime/controller/metrics';

function start() {
  let leader = true;
  const metrics = createControllerMetrics({
    isLeader: () => leader,
    queueDepth: () => 3,
    staleness: () => [['pods', 12.5]],
  });
  return {
    metrics,
    standDown: () => {
      leader = false;
    },
  };
}

test('counts what is done, by kind, and measures what is', async () => {
  const { metrics } = start();
  metrics.applied('Service');
  metrics.applied('Service');
  metrics.pruned('Role');
  metrics.failed('Service', 403);
  metrics.reconciled('done', 0.02);
  metrics.sliced(0.03);

  const { text } = await metrics.page();

  for (const line of [
    'inference_gateway_controller_applies_total{kind="Service"} 2',
    'inference_gateway_controller_prunes_total{kind="Role"} 1',
    'inference_gateway_controller_reconcile_errors_total{kind="Service",code="403"} 1',
    'inference_gateway_controller_reconcile_duration_seconds_count{outcome="done"} 1',
    'inference_gateway_controller_endpoint_slice_latency_seconds_count 1',
    'inference_gateway_controller_queue_depth 3',
    'inference_gateway_controller_watch_staleness_seconds{kind="pods"} 12.5',
    'inference_gateway_controller_leader 1',
  ]) {
    expect(text).toContain(line);
  }
});

test('who leads no more says so', async () => {
  const { metrics, standDown } = start();
  standDown();

  expect((await metrics.page()).text).toContain('inference_gateway_controller_leader 0');
});
