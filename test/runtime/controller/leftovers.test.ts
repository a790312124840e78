import { Bench, CONFIGS, INSTALLATION, SERVICES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, schedulerOf } from './support/objects';

/* A config whose finalizer somebody has taken off is gone before what was made for it. */

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

/** As `kubectl patch --type merge -p '{"metadata":{"finalizers":null}}'` on a deletion that hangs, and the collector after it. */
function tearOff(): void {
  bench.edit(bench.config(), ({ metadata }) => Object.assign(metadata as object, { finalizers: [] }));
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');
  for (const object of bench.made()) if (object.metadata.namespace === 'team') bench.remove(object);
}

const ARN = 'arn:aws:acm:us-west-2:1:certificate/x';

/** As when a certificate has been imported. */
const record = () => bench.recordImport(bench.config(), ARN);

const left = () => bench.made().filter(({ kind }) => kind !== 'GatewayClass');

test('what is left is removed, its entrance first', async () => {
  bench.start();
  await bench.settle();
  tearOff();
  expect(left().length).toBeGreaterThan(10);
  const before = bench.api.writes.length;

  await bench.settle(30_000);

  expect(left()).toEqual([]);
  const deletions = bench.api.writes.slice(before).filter((write) => write.startsWith('delete'));
  expect(deletions[0]).toBe('delete Gateway inference-system/gw');
});

test('also while nobody led, and its imported certificate with it', async () => {
  const first = bench.start('first');
  await bench.settle();
  await record();
  await first.stop();
  tearOff();

  bench.start('second');
  await bench.settle(30_000);

  expect(left()).toEqual([]);
  expect(bench.deletedCertificates).toEqual([ARN]);
});

test('what cannot be removed is tried less and less often, and said once', async () => {
  const first = bench.start('first');
  await bench.settle();
  await record();
  await first.stop();
  tearOff();
  bench.certificateInUse = 'it is in use';
  let tries = 0;
  bench.deleteCertificate = async () => {
    tries += 1;
  };
  bench.start('second');

  await bench.settle(3_600_000);

  expect(tries).toBeGreaterThan(10);
  // At most with each resync besides.
  expect(tries).toBeLessThan(40);
  const told = () => bench.warnings.filter((warning) => warning.includes('what is left is being removed'));
  expect(told()).toEqual([expect.stringContaining(`${ARN} cannot be deleted yet: it is in use`)]);

  bench.certificateInUse = 'it is in use by another';
  await bench.settle(600_000);
  expect(told()).toEqual([expect.any(String), expect.stringContaining('in use by another')]);
  bench.certificateInUse = undefined;
  await bench.settle(600_000);
  expect(left()).toEqual([]);
});

test('whoever waits for the name has it then', async () => {
  bench.start();
  await bench.settle();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  bench.put(gatewayConfig([schedulerOf('llama')], { namespace: 'other' }));
  await bench.settle();
  expect(bench.condition('Accepted', bench.config('gw', 'other'))).toMatchObject({ reason: 'NameTaken' });
  tearOff();

  await bench.settle(30_000);

  expect(bench.condition('Accepted', bench.config('gw', 'other'))).toMatchObject({ status: 'True' });
});

test('nothing goes while it is not known for sure that the config is gone', async () => {
  bench.start();
  await bench.settle();
  tearOff();
  bench.api.mishap = ({ verb, resource }) =>
    verb === 'list' && resource === CONFIGS
      ? { when: 'before', error: refused(404, 'NotFound', 'page not found') }
      : undefined;

  await bench.settle(200_000);

  expect(left().length).toBeGreaterThan(10);
});

test('what has the labels only by copy stays, and is not asked for all the time', async () => {
  bench.start();
  await bench.settle();
  const labels = bench.api.cluster.get(SERVICES, 'gw-bbr', INSTALLATION.systemNamespace)!.metadata.labels!;
  const copy = { name: 'copy', namespace: 'team', labels };
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');
  await bench.settle(30_000);
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata: copy });
  let lists = 0;
  bench.api.mishap = ({ verb, resource }) => {
    lists += Number(verb === 'list' && resource === CONFIGS);
    return undefined;
  };

  await bench.settle(3_600_000);

  expect(bench.api.cluster.get(SERVICES, 'copy', 'team')).toBeDefined();
  // Once with each resync, and the informer's own.
  expect(lists).toBeLessThan(30);
});
