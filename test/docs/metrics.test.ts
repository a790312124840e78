import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCounters } from '../../runtime/ext-proc/counters';
import { createRouterMetrics } from '../../runtime/telemetry/router-metrics';
import { gatewayState } from '../runtime/endpoint-picker/support/fixtures';

test('the page lists exactly the metrics that are exported, with their types', async () => {
  const page = readFileSync(join(__dirname, '../../docs/metrics.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
  const metrics = createRouterMetrics({
    state: () => gatewayState(),
    pools: () => [],
    waiting: () => [],
    counters: newCounters,
    bufferedBytes: () => 0,
  });

  const exported = [...(await metrics.page()).text.matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, line]) => line!);

  expect(listed.sort()).toEqual(exported.sort());
});
