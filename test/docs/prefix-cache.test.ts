import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { modelServerCommand } from '../../bin/commands/model-server';
import { podSchema } from '../../lib/api/pod';
import { kvEventPorts } from '../../lib/translate/gateway-state/kv-event-ports';
import { MAX_BLOCKS } from '../../runtime/body-router/prefix/block-hashes';
import { BLOCK_BYTES } from '../../runtime/body-router/prefix/block-mix';
import { MAX_TOKENS } from '../../runtime/endpoint-picker/kv-events/prompt-tokens';
import { MAX_TOKENIZED_BODY_BYTES } from '../../runtime/endpoint-picker/kv-events/tokenize-request';
import { newCounters } from '../../runtime/ext-proc/counters';
import { createRouterMetrics } from '../../runtime/telemetry/router-metrics';
import { gatewayState } from '../runtime/endpoint-picker/support/fixtures';

const page = readFileSync(join(__dirname, '../../docs/prefix-cache.md'), 'utf8');

test('the Pod names the ports at which the model server before it publishes', () => {
  const config = JSON.parse(/--kv-events-config '(.+)'/.exec(page)![1]!);
  const pod = podSchema.parse(parse(/```yaml\n([\s\S]+?)```/.exec(page)![1]!));
  const portOf = (endpoint: string) => Number(endpoint.replace('tcp://*:', ''));

  expect(kvEventPorts(pod.metadata.annotations!)).toEqual({
    ports: { kvEventsPort: portOf(config.endpoint), kvReplayPort: portOf(config.replay_endpoint) },
    faults: [],
  });
});

test('the simulated model server has the options that are named', () => {
  const named = /^inference-gateway model-server (.+)$/m.exec(page)![1]!.match(/--[\w-]+/g)!;
  const options = modelServerCommand().options.map((option) => option.long);

  expect(named.filter((name) => !options.includes(name))).toEqual([]);
});

test('the metrics that are named exist', async () => {
  const metrics = createRouterMetrics({
    state: () => gatewayState(),
    pools: () => [],
    waiting: () => [],
    counters: newCounters,
    bufferedBytes: () => 0,
  });
  const { text } = await metrics.page();
  const named = new Set(page.match(/inference_\w+/g));

  expect([...named].filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
});

test('the limits are those of the code', () => {
  expect(page).toContain(`blocks of ${BLOCK_BYTES} bytes`);
  expect(page).toContain(`At most ${MAX_BLOCKS} blocks`);
  expect(page).toContain(`${MAX_TOKENS.toLocaleString('en')} tokens count`);
  expect(page).toContain(`bodies above ${MAX_TOKENIZED_BODY_BYTES / 1024} KiB`);
});
