import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { followStates, type StateFollower } from '../../../runtime/local/state-follower';
import { directorySource } from '../../../runtime/objects/directory-source';
import type { ObjectSet } from '../../../runtime/objects/object-source';

let folder: string;
let stop: AbortController;
let logs: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follower-'));
  stop = new AbortController();
  logs = [];
});
afterEach(async () => {
  stop.abort();
  await rm(folder, { recursive: true });
});

/** A gateway whose scheduler and model have this name. */
const write = (name: string) =>
  writeFile(
    join(folder, 'gateway.yaml'),
    `apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata: { name: gateway }
spec:
  bbr: { enabled: true }
  schedulers:
    - { name: ${name}, modelName: ${name}, modelSelector: { matchLabels: { app: a } } }
`,
  );

function follow(): StateFollower {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) });
  return followStates(directorySource([folder]), log, stop.signal);
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !holds(); i++) await sleep(10);
  expect(holds()).toBe(true);
}

test('the first state is that of the objects, and rejects with their faults', async () => {
  await write('one');
  expect((await follow().first).schedulers[0]?.modelName).toBe('one');
  await write('Upper');
  await expect(follow().first).rejects.toThrow('gateway.yaml:7 spec.schedulers[0].name');
});

test('an edit that comes while another is switched to waits, and only the newest counts', async () => {
  await write('one');
  const follower = follow();
  await follower.first;
  const calls: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  follower.onChange(async ({ schedulers }) => {
    calls.push(schedulers[0]!.modelName!);
    await held;
  });
  await write('two');
  await until(() => calls.length === 1);
  for (const model of ['three', 'four']) {
    await write(model);
    await until(() => logs.some((line) => line.includes(`scheduler ${model}: its modelSelector selects no pod`)));
  }
  release();
  await until(() => calls.includes('four'));
  await follower.idle();

  expect(calls).toEqual(['two', 'four']);
});

test('a switch that fails is logged, and the next edit is followed', async () => {
  await write('one');
  const follower = follow();
  await follower.first;
  const calls: string[] = [];
  follower.onChange(async ({ schedulers }) => {
    calls.push(schedulers[0]!.modelName!);
    if (calls.length === 1) throw new Error('no');
  });
  await write('two');
  await until(() => logs.some((line) => line.includes('could not switch')));
  await write('three');
  await until(() => calls.length === 2);

  expect(calls).toEqual(['two', 'three']);
});

test('a warning is told once, not at every edit', async () => {
  await write('one');
  const follower = follow();
  await follower.first;
  let calls = 0;
  follower.onChange(async () => {
    calls += 1;
  });
  await writeFile(join(folder, 'map.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
  await until(() => calls === 1);

  expect(logs.filter((line) => line.includes('selects no pod'))).toHaveLength(1);
});

test('who waits gets the first state that can be used, and hears why those before could not', async () => {
  await write('Upper');
  const good: ObjectSet[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) });
  const follower = followStates(directorySource([folder]), log, stop.signal, {
    waits: true,
    remarks: () => ['a remark'],
    onGood: (set) => good.push(set),
  });
  await until(() => logs.some((line) => line.includes('gateway.yaml:7 spec.schedulers[0].name')));
  expect(good).toEqual([]);
  await write('one');
  expect((await follower.first).schedulers[0]?.modelName).toBe('one');
  expect(good).toHaveLength(1);
  expect(logs.filter((line) => line.includes('a remark'))).toHaveLength(1);
});

test('the objects are compiled as it is asked for', async () => {
  await write('one');
  const log = pino({ level: 'warn' }, { write: (line: string) => void logs.push(line) });
  await followStates(directorySource([folder]), log, stop.signal, { compile: { withoutPods: true } }).first;
  expect(logs).toEqual([]);
});
