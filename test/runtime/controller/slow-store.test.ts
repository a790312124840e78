import type { EnsuredCertificates } from '../../../runtime/controller/gateway-certificates';
import { Bench, CONFIGS, ROUTES } from './support/bench';
import { gatewayConfig, schedulerOf } from './support/objects';

/* A store of certificates may take a minute to answer, or never do. */

const NUMBERS = [1, 2, 3, 4, 5, 6];
const ARN = 'arn:aws:acm:us-west-2:111122223333:certificate/imported';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

const put = (number: number, metadata: object = {}) =>
  bench.put(gatewayConfig([schedulerOf('llama')], { ...metadata, name: `gw-${number}`, namespace: `team-${number}` }));
const config = (number: number) => bench.config(`gw-${number}`, `team-${number}`);
const accepted = (number: number) => bench.condition('Accepted', config(number))?.status;
const slow = <T>(answer: T) => bench.clock.sleep(60_000).then(() => answer);

test('it holds up neither a gateway, nor what is told of it, nor other gateways', async () => {
  bench.importCertificate = () => slow({ problems: [] });
  for (const number of NUMBERS) put(number);
  bench.start();

  await bench.settle(10_000);

  const made = bench.made().filter(({ kind }) => kind === 'Gateway' || kind === 'HTTPRoute');
  expect(new Set(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size).toBeGreaterThan(NUMBERS.length);
  expect(NUMBERS.map(accepted)).toEqual(NUMBERS.map(() => 'True'));
});

test('what it says is told when it comes', async () => {
  const reason = 'CertificateNotImported';
  let problems = [{ condition: 'GatewayProgrammed' as const, reason, message: 'not allowed', blocks: false }];
  bench.importCertificate = () => slow({ problems });
  put(1);
  bench.start();
  await bench.settle(50_000);
  expect(bench.condition('GatewayProgrammed', config(1))?.message).not.toContain('not allowed');

  await bench.settle(15_000);
  expect(bench.condition('GatewayProgrammed', config(1))).toMatchObject({
    reason,
    message: expect.stringContaining('not allowed'),
  });
  problems = [];
  await bench.settle(95_000);
  expect(bench.condition('GatewayProgrammed', config(1))?.reason).not.toBe(reason);
});

test('no gateway waits for others that are removed', async () => {
  for (const number of NUMBERS) put(number);
  bench.start();
  await bench.settle();
  bench.deleteCertificate = () => slow(undefined);
  for (const number of NUMBERS.slice(1)) {
    await bench.recordImport(config(number), ARN);
    bench.api.cluster.delete(CONFIGS, `gw-${number}`, `team-${number}`);
  }
  await bench.settle(10_000);
  expect(bench.condition('Ready', config(2))).toMatchObject({ reason: 'DeletingCertificate' });

  bench.edit(config(1), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('qwen')] }));
  await bench.settle(10_000);
  expect(bench.api.cluster.get(ROUTES, 'qwen', 'team-1')).toBeDefined();

  await bench.settle(180_000);
  expect(NUMBERS.filter((number) => config(number) !== undefined)).toEqual([1]);
  // However long it took, it was asked once for each.
  expect(bench.deletedCertificates).toHaveLength(NUMBERS.length - 1);
});

describe('a gateway that is removed while its certificate is being imported', () => {
  const annotations = { 'inference.sagemaker.aws.amazon.com/keep-imported-certificate': 'true' };

  test.each([
    ['leaves none', {}, [ARN]],
    ['leaves it where it is to stay', { annotations }, []],
  ])('%s', async (_what, metadata, deleted) => {
    bench.importCertificate = async () => {
      await bench.clock.sleep(60_000);
      await bench.recordImport(config(1), ARN);
      return { problems: [] };
    };
    put(1, metadata);
    bench.start();
    await bench.settle(10_000);
    bench.api.cluster.delete(CONFIGS, 'gw-1', 'team-1');

    await bench.settle(20_000);
    expect(bench.condition('Ready', config(1))?.message).toContain('waits until ACM has answered');
    await bench.settle(60_000);

    expect(config(1)).toBeUndefined();
    expect(bench.made().map(({ kind }) => kind)).toEqual(['GatewayClass']);
    expect(bench.deletedCertificates).toEqual(deleted);
  });
});

test('what it is asked ends with the controller, which waits for that', async () => {
  const last = Promise.withResolvers<EnsuredCertificates>();
  let given: AbortSignal | undefined;
  bench.importCertificate = (signal) => {
    given = signal;
    return last.promise;
  };
  put(1);
  const controller = bench.start();
  await bench.settle();
  let isOver = false;
  void controller.stop().then(() => {
    isOver = true;
  });

  await bench.settle(10_000);
  expect(given?.aborted).toBe(true);
  expect(isOver).toBe(false);

  last.resolve({ problems: [] });
  await bench.settle();
  expect(isOver).toBe(true);
});
