import { bodyOf } from '../../runtime/body-router/body/span';
import { runNow } from '../../runtime/body-router/body/turns';
import { jsonFacts } from '../../runtime/body-router/json/json-facts';
import { blockHashes } from '../../runtime/body-router/prefix/block-hashes';
import {
  endpointStates,
  engineCounters,
  engineMetrics,
  gatewayState,
  pickerRig,
  pickerRigWith,
  schedulerState,
} from '../runtime/endpoint-picker/support/fixtures';
import { ADDRESS, PODS, pick, picksByPod, prompt } from '../runtime/endpoint-picker/support/picks';

const EIGHT = schedulerState({ endpoints: endpointStates(8) });

test('one prefix that all requests share does not keep them on few of the pods', () => {
  const rig = pickerRig(EIGHT);
  rig.metrics.tellAll(engineMetrics());
  const counts = picksByPod(rig, 400, prompt(1000));
  expect(counts.every((count) => count > 20)).toBe(true);
});

test('many prefixes are spread over all pods', () => {
  const rig = pickerRig(EIGHT);
  rig.metrics.tellAll(engineMetrics());
  const used = new Set<string>();
  for (let i = 0; i < 40; i++) {
    const { endpoints, ticket } = pick(rig, prompt(1000 * (i + 1), 32));
    used.add(endpoints[0]!);
    ticket.done(200);
  }
  expect(used.size).toBe(8);
});

test('a pod that holds the fewest prefixes does not get all new prompts when it is the busiest', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  for (let i = 0; i < 60; i++) {
    const subset = [...ADDRESS.values()].slice(0, 3);
    pick(rig, { ...prompt(1000 * (i + 1), 16), subset }).ticket.done(200);
  }
  for (let second = 0; second < 10; second++) {
    for (const pod of PODS.slice(0, 3)) rig.metrics.tell(pod, engineMetrics());
    const counters = engineCounters({ firstTokenCount: second });
    rig.metrics.tell(PODS[3], engineMetrics({ waiting: 60, running: 100, kvUsage: 0.97, counters }));
    rig.now += 1_000;
  }
  const chosen = Array.from({ length: 30 }, (_, i) => pick(rig, prompt(1_000_000 + 1000 * i, 16)).endpoints[0]);
  expect(chosen.filter((address) => address === ADDRESS.get(PODS[3]))).toEqual([]);
});

test('a prefix whose pod is gone, or not ready, is served by another pod', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  const { endpoints, ticket } = pick(rig, prompt(1000));
  ticket.done(200);
  for (const without of [
    endpointStates(4).map((one) => ({ ...one, ready: one.address !== endpoints[0] })),
    endpointStates(4).filter(({ address }) => address !== endpoints[0]),
  ]) {
    rig.picker.update(gatewayState(schedulerState({ endpoints: without })));
    const again = pick(rig, prompt(1000));
    expect(again.endpoints).not.toContain(endpoints[0]);
    again.ticket.done(200);
  }
});

test('what pods tell of their KV caches is not waited for: a picker that has just started picks at once', () => {
  let joined = 0;
  // A stand-in for the knowledge of KV events that is told nothing yet.
  const precise = {
    join: () => {
      joined += 1;
    },
    leave() {},
    match() {},
    enter: () => () => {},
  };
  const endpoints = endpointStates(4).map((endpoint) => ({ ...endpoint, kvEventsPort: 5557 }));
  const rig = pickerRigWith({ precise }, schedulerState({ endpoints }));
  const tokens = { count: 4096, tokens: new Uint32Array(4096) };
  expect(pick(rig, { ...prompt(1000), tokens }).endpoints).toHaveLength(3);
  expect(joined).toBe(4);
});

describe('the prefix of a chat', () => {
  const system = { role: 'system', content: `You help. ${'s'.repeat(2_000)}` };
  const turn = (content: string) => ({ role: 'user', content: content + 'x'.repeat(2_000) });
  function chat(...messages: object[]): readonly number[] {
    const body = bodyOf([Buffer.from(JSON.stringify({ model: 'llama', messages }))]);
    const facts = runNow(jsonFacts(body));
    if ('refusal' in facts) throw new Error(facts.refusal);
    return blockHashes(body, facts.prompt, '');
  }
  const shared = (a: readonly number[], b: readonly number[]) => {
    const end = a.findIndex((hash, i) => hash !== b[i]);
    return end < 0 ? a.length : end;
  };

  test('reaches over all of its messages, not only the first', () => {
    const first = chat(system, turn('a'), turn('b'), turn('c'));
    const other = chat(system, turn('a'), turn('b'), turn('d'));
    const third = chat(system, turn('e'), turn('b'), turn('c'));
    // A block is 256 bytes; each turn has eight.
    expect(shared(first, other)).toBeGreaterThanOrEqual(22);
    expect(shared(first, third)).toBeLessThan(shared(first, other) - 12);
    expect(shared(first, third)).toBeGreaterThanOrEqual(7);
  });

  test('goes on over a conversation: a turn more keeps every block before it', () => {
    const before = chat(system, turn('a'));
    expect(shared(before, chat(system, turn('a'), turn('b')))).toBeGreaterThanOrEqual(before.length - 1);
  });
});
