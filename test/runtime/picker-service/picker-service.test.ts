import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { GatewayState, SchedulerState } from '../../../lib/translate/gateway-state';
import type { PickRequest, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import type { Pickers } from '../../../runtime/picker-service/picker-core';
import { type PickerService, startPickerService } from '../../../runtime/picker-service/picker-service';
import { connectPickers } from '../../../runtime/picker-service/remote-pickers';
import { until } from '../../support/until';

const log = pino({ level: 'silent' });
const ADDRESS = '127.0.0.1:9';

const scheduler = (name: string, fields: Partial<SchedulerState> = {}): SchedulerState => ({
  namespace: 'default',
  name,
  modelName: name,
  adapters: [],
  engine: 'vllm',
  weights: { queue: 1, kvCache: 1, prefix: 1, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 },
  overload: { maxQueueTimeMs: 1_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 2, emptyPoolHoldMs: 60_000 },
  endpoints: [{ address: ADDRESS, pod: 'default/pod', ready: true }],
  ...fields,
});
const state = (...schedulers: SchedulerState[]): GatewayState => ({
  gateway: 'default/test',
  bodyRouting: true,
  maxRequestBodyBytes: 1,
  explain: false,
  schedulers,
  rewrites: [],
});

let folder: string;
let service: PickerService | undefined;
let pickers: Pickers | undefined;
const unanswered: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'picker-service-'));
  unanswered.length = 0;
});
afterEach(async () => {
  await pickers?.close();
  await service?.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function start(first: GatewayState, schedulers?: readonly string[]) {
  const path = join(folder, 'picker.sock');
  service = await startPickerService({
    listen: { path },
    state: first,
    ...(schedulers && { schedulers }),
    replica: 'a',
    log,
  });
  const targets = [{ scheduler: undefined, address: { path } }];
  pickers = await connectPickers({ targets: () => targets, router: 'r', log }, first, (name) => unanswered.push(name));
}

async function pick(name: string): Promise<PickResult> {
  const request: PickRequest = { scheduler: name, model: 'm', promptBytes: 400, prefixHashes: [1], explain: false };
  const picked = pickers!.picker.pick(request);
  return 'outcome' in picked ? picked : await picked.result;
}

const inFlight = () => service!.status()[0]!.pods[0]!.inFlight;

test('the picker of a process picks for a router of another, and its ledger follows', async () => {
  await start(state(scheduler('llama')));
  const picked = await pick('default/llama');
  if (picked.outcome !== 'picked') throw new Error(picked.outcome);
  expect(picked.endpoints).toEqual([ADDRESS]);
  expect(inFlight()).toBe(1);
  picked.ticket.done(200);
  await until('it is over there too', () => inFlight() === 0);
  expect((await service!.metricsPage()).text).toContain('inference_gateway_peers 1');
});

test('a picker of some schedulers is not asked for others', async () => {
  await start(state(scheduler('llama'), scheduler('qwen')), ['default/qwen']);
  expect((await pick('default/qwen')).outcome).toBe('picked');
  expect(await pick('default/llama')).toEqual({ outcome: 'no-answer' });
  expect(unanswered).toEqual(['default/llama']);
});

test('a router hears whether a scheduler has pods that are ready', async () => {
  const pod = { address: ADDRESS, pod: 'default/pod', ready: false };
  await start(state(scheduler('llama', { endpoints: [pod] })));
  expect(pickers!.hasEndpoints!('default/llama')).toBe(false);
  service!.update(state(scheduler('llama')));
  await until('it is told', () => pickers!.hasEndpoints!('default/llama'));
  service!.update(state());
  await until('it is told again', () => !pickers!.hasEndpoints!('default/llama'));
});

test('a request for a pool without pods is held across processes until a pod is ready', async () => {
  const empty = state(scheduler('llama', { endpoints: [] }));
  await start(empty);
  const held = pick('default/llama');
  await until('it is held', async () => /flow_control_queue_size\{[^}]*\} 1/.test((await service!.metricsPage()).text));
  service!.update(state(scheduler('llama')));
  expect((await held).outcome).toBe('picked');
});

test('an address that another process has rejects', async () => {
  await start(state(scheduler('llama')));
  const listen = { path: join(folder, 'picker.sock') };
  await expect(startPickerService({ listen, state: state(), replica: 'b', log })).rejects.toThrow('EADDRINUSE');
});
