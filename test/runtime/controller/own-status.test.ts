import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createStatusWriter } from '../../../runtime/controller/status-writer';
import { ApiError } from '../../../runtime/kubernetes/api-error';
import { Bench, CONFIGS } from './support/bench';
import { manualClock } from './support/manual-clock';
import { MemoryApi, refused } from './support/memory-api';
import { gatewayConfig } from './support/objects';

const cause = (reason: string) => ({ reason, message: '', field: '' });

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

/** As a webhook of others refuses an object, with the time of day in its words. */
function refuseIngresses(): { tries: number; statuses: number } {
  const count = { tries: 0, statuses: 0 };
  bench.api.mishap = ({ verb, resource }) => {
    count.statuses += Number(verb === 'applyStatus');
    if (verb !== 'apply' || resource.kind !== 'Ingress') return undefined;
    count.tries += 1;
    const time = new Date(bench.clock.wall()).toISOString();
    const message = `failed calling webhook: x509: certificate has expired: current time ${time} is after 2026-01-01`;
    return { when: 'before', error: refused(500, 'InternalError', message) };
  };
  return count;
}

const config = gatewayConfig();
const spec = {
  ...config.spec,
  tls: { acmArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1' },
  endpoint: { type: 'alb' },
};

test('a status of our own is no reason to try again', async () => {
  // A turn lasts longer than the events of a burst are gathered.
  bench.api.delay = ({ verb, resource }) =>
    verb === 'apply' && resource.kind === 'Ingress' ? bench.clock.sleep(2_500) : Promise.resolve();
  const count = refuseIngresses();
  bench.put({ ...config, spec } as never);
  bench.start();

  await bench.settle(3_600_000);

  // Delays grow to a minute.
  expect(count.tries).toBeGreaterThan(50);
  expect(count.tries).toBeLessThan(110);
  expect(count.statuses).toBeLessThan(110);
});

test("somebody else's status is put back", async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(30_000);

  bench.edit(bench.config(), (object) => Object.assign(object, { status: { conditions: [] } }));
  await bench.settle(1_000);

  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
});

test('a status that is undone twice within 5 s is put back then, without another event', async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(30_000);
  const undo = () => bench.edit(bench.config(), (object) => Object.assign(object, { status: { conditions: [] } }));
  for (let i = 0; i < 3; i++) {
    undo();
    await bench.settle(500);
  }

  await bench.settle(6_000);

  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
});

test.each([
  { is: 'is gone', code: 404, reason: 'NotFound', causes: [] },
  { is: 'goes with its namespace', code: 403, reason: 'Forbidden', causes: [cause('NamespaceTerminating')] },
])('of a config that $is there is nobody to tell', async ({ code, reason, causes }) => {
  const api = new MemoryApi();
  const error = new ApiError({ code, reason, causes, message: 'no', request: 'PATCH' });
  api.mishap = ({ verb }) => (verb === 'applyStatus' ? { when: 'before', error } : undefined);
  const object = api.cluster.put(CONFIGS, gatewayConfig());
  const write = () => createStatusWriter(api, manualClock()).write(object, {}, new AbortController().signal);

  expect(await write()).toBeUndefined();
  api.mishap = () => ({ when: 'before', error: refused(403, 'Forbidden', 'no') });
  await expect(write()).rejects.toThrow('no');
});

test('says when a write that is put off is due, and forgets a config that is gone', async () => {
  const api = new MemoryApi();
  const clock = manualClock();
  const writer = createStatusWriter(api, clock);
  const signal = new AbortController().signal;
  const put = () => api.cluster.put(CONFIGS, { ...gatewayConfig(), status: {} });
  const status = { conditions: [] };
  const write = (one: KubernetesObject) => writer.write(one, status, signal);

  const tried = [await write(put()), await write(put()), await write(put())];
  expect(tried).toEqual([undefined, undefined, 5_000]);
  expect(writer.isWritten(api.cluster.get(CONFIGS, 'gw', 'team')!)).toBe(false);
  clock.advance(5_000);
  await write(put());
  expect(writer.isWritten(api.cluster.get(CONFIGS, 'gw', 'team')!)).toBe(true);

  writer.forget('team/gw');
  expect(await write(put())).toBeUndefined();
  expect(writer.isWritten(api.cluster.get(CONFIGS, 'gw', 'team')!)).toBe(true);
});
