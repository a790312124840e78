import fc from 'fast-check';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { SCHEDULER_LABEL } from '../../../lib/translate/cluster/names';
import { Bench, PODS, ROUTES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

/* Whatever happens, in whatever order, and whatever goes wrong meanwhile: when it is over the cluster holds what the
 * config says, and nothing is written any more. */

const NAMES = ['a', 'b', 'c'] as const;

type Step =
  | { readonly kind: 'schedulers'; readonly names: readonly string[]; readonly replicas: number }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'pod'; readonly name: string; readonly model: string; readonly ready: boolean }
  | { readonly kind: 'podGone'; readonly name: string }
  | { readonly kind: 'strangerEdits'; readonly index: number; readonly labels: boolean }
  | { readonly kind: 'strangerDeletes'; readonly index: number }
  | { readonly kind: 'cutWatches'; readonly compact: boolean }
  | { readonly kind: 'kill' }
  | { readonly kind: 'faults'; readonly everyNth: number; readonly when: 'before' | 'after'; readonly code: number }
  | { readonly kind: 'healthy' };

const podNames = fc.constantFrom('p0', 'p1', 'p2', 'p3');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('schedulers' as const),
    names: fc.subarray([...NAMES], { minLength: 1 }),
    replicas: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('invalid' as const) }),
  fc.record({
    kind: fc.constant('pod' as const),
    name: podNames,
    model: fc.constantFrom(...NAMES),
    ready: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('podGone' as const), name: podNames }),
  fc.record({ kind: fc.constant('strangerEdits' as const), index: fc.nat(200), labels: fc.boolean() }),
  fc.record({ kind: fc.constant('strangerDeletes' as const), index: fc.nat(200) }),
  fc.record({ kind: fc.constant('cutWatches' as const), compact: fc.boolean() }),
  fc.record({ kind: fc.constant('kill' as const) }),
  fc.record({
    kind: fc.constant('faults' as const),
    everyNth: fc.integer({ min: 2, max: 9 }),
    when: fc.constantFrom('before' as const, 'after' as const),
    code: fc.constantFrom(0, 403, 409, 422, 429, 500, 503),
  }),
  fc.record({ kind: fc.constant('healthy' as const) }),
);

const history = fc.array(fc.record({ step, afterMs: fc.constantFrom(0, 0, 15, 50, 120, 400, 3_000, 20_000) }), {
  minLength: 1,
  maxLength: 14,
});

test('the cluster comes to hold what the config says, and then nothing is written', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const bench = new Bench();
      bench.put(gatewayConfig([schedulerOf('a')]));
      const processes = [bench.start('first'), bench.start('second')];
      let schedulers: readonly object[] = [schedulerOf('a')];
      for (const { step, afterMs } of steps) {
        await bench.settle(afterMs);
        if (step.kind === 'schedulers') {
          schedulers = step.names.map((name) => schedulerOf(name, { replicas: step.replicas }));
        }
        act(bench, step, schedulers);
        if (step.kind !== 'kill') continue;
        processes.find((process) => process.isLeader())?.kill();
        processes.push(bench.start('another'));
      }
      bench.api.mishap = () => undefined;
      setSchedulers(bench, schedulers);
      await bench.settle(200_000);

      expect(owned(bench)).toEqual(expected(bench));
      const before = bench.api.writes.length;
      await bench.settle(400_000);
      expect(bench.api.writes.slice(before).filter((write) => !write.includes(' Lease '))).toEqual([]);
      await bench.close();
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 20) },
  );
}, 300_000);

function act(bench: Bench, step: Step, schedulers: readonly object[]): void {
  const { cluster } = bench.api;
  switch (step.kind) {
    case 'schedulers':
      setSchedulers(bench, schedulers);
      return;
    case 'invalid':
      setSchedulers(bench, [schedulerOf('a', { replicas: -1 })]);
      return;
    case 'pod':
      bench.put(modelPod(step.name, step.model, `10.1.0.${1 + Number(step.name.slice(1))}`, step.ready));
      return;
    case 'podGone':
      if (cluster.get(PODS, step.name, 'team') !== undefined) cluster.delete(PODS, step.name, 'team');
      return;
    case 'strangerEdits': {
      const object = pick(bench, step.index);
      if (object === undefined) return;
      bench.edit(object, (edited) => {
        // What stays wanted gets them back. What does not, and has lost them, is nobody's.
        if (step.labels && staysWanted(object)) (edited.metadata as { labels: object }).labels = {};
        for (const part of ['spec', 'data', 'rules', 'endpoints']) {
          if (part in edited) edited[part] = Array.isArray(edited[part]) ? [] : broken(edited[part] as object);
        }
      });
      return;
    }
    case 'strangerDeletes': {
      const object = pick(bench, step.index);
      if (object !== undefined) bench.remove(object);
      return;
    }
    case 'cutWatches':
      if (step.compact) cluster.compact();
      bench.api.cutWatches();
      return;
    case 'faults': {
      let calls = 0;
      const { everyNth, when, code } = step;
      bench.api.mishap = ({ namespace, resource }) => {
        calls += 1;
        const spared = resource.kind === 'Lease' || namespace === undefined;
        return calls % everyNth === 0 && !spared ? { when, error: refused(code, 'Fault', 'fault') } : undefined;
      };
      return;
    }
    case 'healthy':
      bench.api.mishap = () => undefined;
      return;
    case 'kill':
      return;
  }
}

/** Whatever the schedulers are. */
function staysWanted({ kind, metadata }: KubernetesObject): boolean {
  return metadata.labels?.[SCHEDULER_LABEL] === undefined && kind !== 'HTTPRoute';
}

function broken(part: object): object {
  return Object.fromEntries(Object.keys(part).map((name) => [name, 'broken']));
}

function setSchedulers(bench: Bench, schedulers: readonly object[]): void {
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers }));
}

function pick(bench: Bench, index: number): KubernetesObject | undefined {
  const objects = bench.made();
  return objects[index % Math.max(1, objects.length)];
}

/** Without what the API server adds. */
function plain({ apiVersion, kind, metadata, ...rest }: KubernetesObject) {
  const { name, namespace, labels, annotations, ownerReferences } = metadata;
  const { status: _, ...fields } = rest;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations, ownerReferences }, ...fields };
}

const byName = (a: KubernetesObject, b: KubernetesObject) => (key(a) < key(b) ? -1 : 1);
const key = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace} ${metadata.name}`;

function owned(bench: Bench) {
  return bench.made().sort(byName).map(plain);
}

function expected(bench: Bench) {
  const { objects } = bench.translation();
  return [...objects, ...bench.slices()].sort(byName).map((object) => plain(JSON.parse(JSON.stringify(object))));
}

test('what it compares is something', async () => {
  const bench = new Bench();
  bench.put(gatewayConfig([schedulerOf('a')]));
  bench.start();
  await bench.settle();

  expect(expected(bench).length).toBeGreaterThan(20);
  expect(owned(bench)).toEqual(expected(bench));
  bench.api.cluster.delete(ROUTES, 'a', 'team');
  expect(owned(bench)).not.toEqual(expected(bench));
  await bench.close();
});
