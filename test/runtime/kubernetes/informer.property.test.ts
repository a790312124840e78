import fc from 'fast-check';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { fastClock } from '../../support/clocks';
import { until } from '../../support/until';
import { InformerBench, PODS, pod } from './support/informer-bench';

let bench: InformerBench;
beforeEach(async () => {
  bench = await InformerBench.open();
});
afterEach(() => bench.close());

type Step = 'put' | 'delete' | 'recreate' | 'cut' | 'compact' | 'expire' | 'end' | 'outage' | 'freeze' | 'refuse';

test('after any edits, cuts and losses of history it has what the server has, and has told each change once', async () => {
  const steps: fc.Arbitrary<readonly [Step, number]> = fc.tuple(
    fc.constantFrom<Step>(
      'put',
      'put',
      'put',
      'delete',
      'recreate',
      'cut',
      'compact',
      'expire',
      'end',
      'outage',
      'freeze',
      'refuse',
    ),
    fc.nat(4),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (sequence) => {
      const own = new AbortController();
      const told = new Map<string, KubernetesObject>();
      const broken: string[] = [];
      for (const { metadata } of bench.server.cluster.list(PODS))
        bench.server.cluster.delete(PODS, metadata.name, 'team');
      let watching = 0;
      const { informer } = bench.start({
        client: {
          ...bench.client,
          async *watch(...args) {
            if (++watching > 1) broken.push('there are two watches');
            try {
              yield* bench.client.watch(...args);
            } finally {
              watching -= 1;
            }
          },
        },
        clock: fastClock(1_000),
        relistMs: 100_000,
        signal: own.signal,
        onChange: (old, now) => {
          const name = (now ?? old)!.metadata.name;
          if (told.get(name) !== old) broken.push(`${name} is told from another object than the last one told`);
          if (old !== undefined && now !== undefined && old.metadata.uid !== now.metadata.uid)
            broken.push(`${name} has another uid`);
          if (now === undefined) told.delete(name);
          else told.set(name, now);
        },
      });
      for (const [step, n] of sequence) {
        await take(step, n);
        if (n === 0) await new Promise((resolve) => setTimeout(resolve, 3));
      }
      bench.server.up();
      const wanted = () => versionsOf(bench.server.cluster.list(PODS));
      await until('it has what the server has', () => versionsOf(informer.list()) === wanted(), 10_000);
      own.abort();
      await informer.done;
      await until('it is closed', () => bench.server.openWatches() === 0);
      expect(versionsOf([...told.values()])).toBe(wanted());
      expect(broken).toEqual([]);
    }),
    { numRuns: 40 },
  );

  async function take(step: Step, n: number): Promise<void> {
    const name = `p${n}`;
    const exists = bench.server.cluster.get(PODS, name, 'team') !== undefined;
    if (step === 'put') bench.server.cluster.put(PODS, pod(name, `${bench.server.cluster.version}`));
    else if (step === 'delete' && exists) bench.server.cluster.delete(PODS, name, 'team');
    else if (step === 'recreate' && exists) {
      bench.server.cluster.delete(PODS, name, 'team');
      bench.server.cluster.put(PODS, pod(name));
    } else if (step === 'cut') bench.server.cut();
    else if (step === 'compact') bench.server.cluster.compact();
    else if (step === 'expire') bench.server.expireWatches();
    else if (step === 'end') bench.server.endWatches();
    else if (step === 'freeze') bench.server.freeze();
    else if (step === 'refuse') bench.server.answer({ code: 503 });
    else if (step === 'outage') {
      bench.server.down();
      await new Promise((resolve) => setTimeout(resolve, n));
      bench.server.up();
    }
  }
}, 120_000);

function versionsOf(objects: readonly KubernetesObject[]): string {
  return objects
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join('\n');
}
