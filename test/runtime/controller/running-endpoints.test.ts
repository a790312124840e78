import { Bench, PODS, SERVICES } from './support/bench';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

/* Whatever is wrong with a config: the endpoints of what runs follow their pods, also under a process that has come to lead
 * since and has never seen the config that they run by. */

let bench: Bench;
let first: ReturnType<Bench['start']>;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.put(modelPod('other-0', 'other', '10.1.0.9'));
  first = bench.start('first');
  await bench.settle(30_000);
});

afterEach(() => bench.close());

const setSchedulers = (schedulers: readonly object[]) =>
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers }));

/** The API server takes it: the rule is the controller's alone. */
const invalid = schedulerOf('llama', { flowControl: { maxBytes: '1Mi', bands: { critical: { maxBytes: '64Mi' } } } });

const toOthers = { modelSelector: { matchLabels: { model: 'other' } }, targetPort: 9999 };

async function failOver(): Promise<void> {
  await first.stop();
  bench.start('second');
  await bench.settle(60_000);
}

async function replacePod(): Promise<void> {
  bench.api.cluster.delete(PODS, 'llama-0', 'team');
  bench.put(modelPod('llama-1', 'llama', '10.1.0.2'));
  await bench.settle();
}

test('of a config that is not valid', async () => {
  setSchedulers([invalid]);
  await bench.settle();
  expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'Invalid' });
  await failOver();

  await replacePod();

  expect(bench.addresses('llama')).toEqual(['10.1.0.2 ready']);
  expect(bench.addresses('mistral')).toEqual(['192.0.2.1 not ready']);
});

test('of an edit that is held up: by the former selector and port', async () => {
  bench.setupProblems = [{ condition: 'Accepted', reason: 'CrdFieldsMissing', message: 'x', blocks: true }];
  await bench.settle(400_000);
  setSchedulers([schedulerOf('llama', toOthers), schedulerOf('mistral')]);
  await bench.settle();
  await failOver();
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);

  await replacePod();

  expect(bench.addresses('llama')).toEqual(['10.1.0.2 ready']);
});

test('of an edited scheduler that is not accepted, beside one that is', async () => {
  const metadata = { name: 'llama-epp', namespace: 'team' };
  bench.api.cluster.delete(SERVICES, metadata.name, metadata.namespace);
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.0.0.1' } });
  setSchedulers([schedulerOf('llama', toOthers), schedulerOf('mistral')]);
  await bench.settle();
  expect(bench.condition('Accepted')?.reason).toBe('PartlyAccepted');
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
  await failOver();

  await replacePod();

  expect(bench.addresses('llama')).toEqual(['10.1.0.2 ready']);
});

test('of a scheduler that is accepted no more, before its Service has been seen as it was written last', async () => {
  const see = first.blindTo('Service');
  setSchedulers([schedulerOf('llama', toOthers), schedulerOf('mistral')]);
  await bench.settle();
  expect(bench.addresses('llama')).toEqual(['10.1.0.9 ready']);
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'llama', namespace: 'team' },
  };
  bench.remove(route);
  bench.put({ ...route, spec: {} });

  await bench.settle();

  expect(bench.condition('Accepted')?.reason).toBe('PartlyAccepted');
  expect(bench.addresses('llama')).toEqual(['10.1.0.9 ready']);
  see();
});

test('while the cluster is still being prepared', async () => {
  await first.stop();
  bench.start('second');
  const end = Promise.withResolvers<void>();
  bench.prepared = () => end.promise;
  await bench.settle(20_000);

  await replacePod();

  expect(bench.addresses('llama')).toEqual(['10.1.0.2 ready']);
  end.resolve();
});

test('an edit that is accepted is followed at once', async () => {
  setSchedulers([schedulerOf('llama', toOthers)]);
  await bench.settle();

  expect(bench.addresses('llama')).toEqual(['10.1.0.9 ready']);
  const service = bench.api.cluster.get(SERVICES, 'llama-pool', 'team');
  expect(service?.metadata.annotations).toEqual({
    'inference.sagemaker.aws.amazon.com/model-selector': JSON.stringify(toOthers.modelSelector),
  });
});
