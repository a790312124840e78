import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createCertificateImports } from '../../../runtime/controller/certificate-imports';
import type { EnsuredCertificates } from '../../../runtime/controller/gateway-certificates';
import { ownerOfConfig } from '../../../runtime/controller/owner';
import type { StoreJob } from '../../../runtime/controller/store-work';
import { INSTALLATION } from './support/bench';

const { signal } = new AbortController();
const OWNER = 'team/gw';
const NOTHING = { problems: [], failures: [] };
const PROBLEM = { reason: 'CertificateNotImported', message: 'no', blocks: false };
const configOf = (generation = 1, uid = 'u', status: object = {}) =>
  ({ metadata: { name: 'gw', namespace: 'team', uid, generation }, status }) as never;

function start() {
  const jobs: StoreJob[] = [];
  const state = {
    now: 0,
    owned: [] as KubernetesObject[],
    answer: (): Promise<EnsuredCertificates> => Promise.resolve({ problems: [] }),
    asked: [] as unknown[],
    again: [] as number[],
    isBusy: false,
  };
  const imports = createCertificateImports({
    certificates: {
      importIssued: (config) => {
        state.asked.push(config.metadata.generation);
        return state.answer();
      },
    },
    watches: { owned: () => state.owned },
    installation: INSTALLATION,
    storeWork: {
      start: (_owner, job) => !state.isBusy && jobs.length === 0 && jobs.push(job) > 0,
      isBusy: () => jobs.length > 0,
      done: Promise.resolve(),
    },
    clock: { now: () => state.now },
    again: (owner, ms) => {
      expect(owner).toBe(ownerOfConfig(configOf()));
      state.again.push(ms);
    },
  });
  return {
    state,
    imports,
    latest: (generation?: number, uid?: string) => imports.latest(OWNER, configOf(generation, uid)),
    /** What is asked is answered. */
    async done() {
      await jobs[0]!(signal);
      jobs.shift();
    },
  };
}

test('nothing is told until there is an answer, which holds while nothing changes', async () => {
  const { state, latest, done } = start();
  expect(latest()).toEqual(NOTHING);
  await done();
  // Nothing new, so only in time.
  expect(state.again).toEqual([300_000]);

  state.now = 60_000;
  expect(latest()).toEqual({ ...NOTHING, dueIn: 240_000 });
  state.now = 300_000;
  expect(latest()).toEqual(NOTHING);
  await done();
  expect(state.asked).toHaveLength(2);
});

test('the gateway comes again at once when the answer is another', async () => {
  const { state, latest, done } = start();
  state.answer = async () => ({ problems: [PROBLEM] });
  latest();
  await done();
  expect(latest()).toEqual({ problems: [PROBLEM], failures: [], dueIn: 30_000 });
  state.now = 30_000;
  // As it was, until it is known better.
  expect(latest()).toEqual({ problems: [PROBLEM], failures: [] });
  await done();
  state.now = 60_000;
  state.answer = async () => ({ problems: [], deletedArn: 'arn' });
  latest();
  await done();
  expect(state.again).toEqual([0, 30_000, 0]);
  expect(latest()).toMatchObject({ problems: [], deletedArn: 'arn' });
});

test('what changes while it is asked is asked next', async () => {
  const { state, latest, done } = start();
  latest();
  state.owned = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'gw-tls', resourceVersion: '2' } }];
  latest(2);
  await done();
  expect(state.again).toEqual([0]);
  latest(2);
  await done();
  expect(state.asked).toEqual([1, 2]);
  expect(state.again).toEqual([0, 300_000]);
});

test('where the API server refuses that is told once, and who has told it comes again', async () => {
  const { state, latest, done } = start();
  const error = new Error('forbidden');
  state.answer = () => Promise.reject(error);
  latest();
  await done();
  expect(state.again).toEqual([0]);
  const failure = { error, object: { kind: 'Secret', metadata: { name: 'gw-imported-certificate' } } };
  expect(latest()).toMatchObject({ problems: [], failures: [failure] });
  await done();
  expect(state.again).toEqual([0]);

  state.answer = async () => ({ problems: [] });
  latest();
  await done();
  expect(state.again).toEqual([0, 0]);
  expect(latest()).toMatchObject(NOTHING);
});

test('of a gateway that is gone nothing is known, also where an answer comes late', async () => {
  const { state, imports, latest, done } = start();
  state.answer = async () => ({ problems: [PROBLEM] });
  latest();
  imports.forget(OWNER);
  await done();
  expect(state.again).toEqual([]);
  expect(latest()).toEqual(NOTHING);
  await done();
  // One of the same name.
  expect(latest(1, 'other')).toEqual(NOTHING);
});

test('where something else is under way for the gateway, it comes again', () => {
  const { state, latest } = start();
  state.isBusy = true;
  latest();
  expect(state.again).toEqual([5_000]);
});

test('a fault that the process before has told stands until there is an answer', async () => {
  const { imports, latest, done } = start();
  const condition = { type: 'GatewayProgrammed', status: 'False', reason: 'CertificateNotImported', message: 'no' };
  const told = (changes: object) =>
    imports.latest(OWNER, configOf(1, 'u', { conditions: [{ ...condition, ...changes }] })).problems;
  expect(told({})).toEqual([expect.objectContaining({ reason: 'CertificateNotImported', blocks: false })]);
  expect(told({ reason: 'Pending' })).toEqual([]);
  expect(told({ status: 'True' })).toEqual([]);

  await done();
  expect(latest().problems).toEqual([]);
  expect(told({})).toEqual([]);
});
