import {
  createEndpointSource,
  type EndpointSource,
} from '../../../../runtime/inference-pools/discovery/endpoint-source';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { ApiBench } from '../support/api-bench';
import { pod, pool } from '../support/objects';
import { endpointsIn } from '../support/told';

const PODS = resourceOf('v1', 'Pod');
const ALPHA = 'inference-pool/models/alpha';
/** Milliseconds. */
const MINUTE = 60_000;

let bench: ApiBench;
let source: EndpointSource;
beforeEach(async () => {
  bench = await ApiBench.open();
  source = createEndpointSource(bench.options);
});
afterEach(() => bench.close());

/** What one that wants it has been told, in order. */
function subscribe(name = ALPHA) {
  const told: (string[] | undefined)[] = [];
  const stop = source.subscribe(name, (assignment) => told.push(endpointsIn(assignment)));
  return { told, stop };
}

const isFollowed = () => bench.server.openWatches() > 0;
const lists = () => bench.server.requests.filter(({ query }) => query.get('watch') !== 'true').length;

async function followed() {
  bench.put(pool(), pod('a', '10.0.0.1'));
  const one = subscribe();
  await bench.until('the pod is told', () => one.told.length > 0);
  await bench.until('both kinds are watched', () => bench.server.openWatches() === 2);
  return one;
}

test('who wants endpoints is told those of now and of each change', async () => {
  const { told } = await followed();

  bench.put(pod('b', '10.0.0.2'));
  await bench.until('the second is told', () => told.length > 1);

  expect(told).toEqual([['10.0.0.1 8000'], ['10.0.0.1 8000', '10.0.0.2 8000']]);
});

test('all that want the same are told the same, and the API server is asked once', async () => {
  const first = await followed();
  const asked = lists();

  const second = subscribe();
  expect(second.told).toEqual([['10.0.0.1 8000']]);
  bench.put(pod('b', '10.0.0.2'));
  await bench.until('both are told', () => first.told.length === 2 && second.told.length === 2);

  expect(second.told).toEqual(first.told);
  expect(lists()).toBe(asked);
});

test('the changes of a moment are told together', async () => {
  const { told } = await followed();

  for (let n = 10; n < 30; n += 1) bench.put(pod(`p${n}`, `10.0.1.${n}`));
  await bench.settled();

  expect(told.at(-1)).toHaveLength(21);
  expect(told.length).toBeLessThan(8);
});

test('what changes nothing of the endpoints is not told', async () => {
  const { told } = await followed();

  bench.put(pod('a', '10.0.0.1', { annotations: { a: 'b' } }), pod('other', '10.0.0.9', { app: 'other' }));
  bench.put(pool('alpha', { appProtocol: 'kubernetes.io/h2c' }));
  await bench.settled();

  expect(told).toHaveLength(1);
});

test('one that is gone is told nothing more, and the others are', async () => {
  const [first, second] = [await followed(), subscribe()];

  first.stop();
  bench.put(pod('b', '10.0.0.2'));
  await bench.until('the other is told', () => second.told.length === 2);
  await bench.clock.advance(2 * MINUTE);

  expect(first.told).toHaveLength(1);
  expect(bench.server.openWatches(PODS)).toBe(1);
});

describe('when nobody wants it any more', () => {
  test('it is followed for a minute', async () => {
    const { stop } = await followed();

    stop();
    await bench.clock.advance(MINUTE - 1_000);
    await bench.settled();
    expect(isFollowed()).toBe(true);

    await bench.until('it is not followed', () => !isFollowed(), 1_000);
  });

  test('who comes back within that time finds what has changed meanwhile, and the minute begins anew', async () => {
    const first = await followed();
    first.stop();
    first.stop();
    bench.put(pod('b', '10.0.0.2'));
    await bench.settled();

    const second = subscribe();
    expect(second.told).toEqual([['10.0.0.1 8000', '10.0.0.2 8000']]);
    await bench.clock.advance(2 * MINUTE);
    expect(isFollowed()).toBe(true);

    second.stop();
    await bench.clock.advance(MINUTE - 1_000);
    await bench.settled();
    expect(isFollowed()).toBe(true);
    await bench.until('it is not followed', () => !isFollowed(), 1_000);
  });

  test('who comes later finds it anew', async () => {
    const first = await followed();
    first.stop();
    await bench.until('it is not followed', () => !isFollowed(), MINUTE);
    bench.put(pod('b', '10.0.0.2'));

    const second = subscribe();
    expect(second.told).toEqual([]);
    await bench.until('it is told', () => second.told.length > 0);

    expect(second.told).toEqual([['10.0.0.1 8000', '10.0.0.2 8000']]);
    first.stop();
    await bench.clock.advance(2 * MINUTE);
    expect(subscribe().told).toEqual(second.told);
  });
});

test('more names than any configuration has are refused', () => {
  for (let n = 0; n < 10_000; n += 1) source.subscribe(`of nothing ${n}`, () => {});

  expect(() => source.subscribe('one more', () => {})).toThrow('more than 10000 names are asked for');
  expect(() => source.subscribe('of nothing 7', () => {})).not.toThrow();
});

test('with the signal all ends, and nothing more is told', async () => {
  const { told, stop } = await followed();
  bench.put(pod('b', '10.0.0.2'));
  // Heard of by then, and not told yet.
  await new Promise((resolve) => setTimeout(resolve, 100));

  bench.stop.abort();
  await bench.until('no watch is open', () => !isFollowed());
  stop();
  await bench.clock.advance(2 * MINUTE);

  expect(told).toHaveLength(1);
});
