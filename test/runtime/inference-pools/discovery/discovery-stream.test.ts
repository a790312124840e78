import { create } from '@bufbuild/protobuf';
import { type Any, anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import { ClusterLoadAssignmentSchema } from '../../../../runtime/envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import {
  DiscoveryRequestSchema,
  type DiscoveryResponse,
} from '../../../../runtime/envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import { DiscoveryStream } from '../../../../runtime/inference-pools/discovery/discovery-stream';

const TYPE = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

/** A stream before a source whose endpoints are told by hand: `policy.overprovisioningFactor` tells versions apart. */
class StreamBench {
  readonly sent: DiscoveryResponse[] = [];
  readonly refusals: string[] = [];
  readonly known = new Map<string, Any>();
  private readonly listeners = new Map<string, (assignment: Any) => void>();
  readonly stream = new DiscoveryStream({
    source: {
      subscribe: (name, listener) => {
        if (this.listeners.has(name)) throw new Error(`${name} is wanted twice`);
        this.listeners.set(name, listener);
        const known = this.known.get(name);
        if (known) listener(known);
        return () => this.listeners.delete(name);
      },
    },
    send: (response) => this.sent.push(response),
    onRefused: (reason) => this.refusals.push(reason),
  });

  get wanted(): string[] {
    return [...this.listeners.keys()].sort();
  }

  tell(name: string, version: number): void {
    const endpoints = create(ClusterLoadAssignmentSchema, {
      clusterName: name,
      policy: { overprovisioningFactor: version },
    });
    const told = anyPack(ClusterLoadAssignmentSchema, endpoints);
    this.known.set(name, told);
    this.listeners.get(name)?.(told);
  }

  /** As Envoy does at first, where it wants something else, and to say that it has the last. */
  ask(names: readonly string[], nonce = '', refusal?: string): void {
    this.stream.receive(
      create(DiscoveryRequestSchema, {
        typeUrl: TYPE,
        resourceNames: [...names],
        responseNonce: nonce,
        ...(refusal !== undefined && { errorDetail: { code: 13, message: refusal } }),
      }),
    );
  }

  acknowledge(names: readonly string[]): void {
    this.ask(names, this.sent.at(-1)!.nonce);
  }

  /** `name version` of all that was sent, by answer. */
  get answers(): string[][] {
    return this.sent.map(({ resources }) =>
      resources.map((resource) => {
        const { clusterName, policy } = anyUnpack(resource, ClusterLoadAssignmentSchema)!;
        return `${clusterName} ${policy?.overprovisioningFactor}`;
      }),
    );
  }
}

let bench: StreamBench;
beforeEach(() => {
  bench = new StreamBench();
});

test('what is known is told at once, and what is not when it is', () => {
  bench.tell('a', 1);
  bench.ask(['a', 'b']);
  bench.acknowledge(['a', 'b']);
  bench.tell('b', 1);

  expect(bench.answers).toEqual([['a 1'], ['b 1']]);
  expect(bench.sent.map(({ typeUrl }) => typeUrl)).toEqual([TYPE, TYPE]);
});

test('each answer has a version and a nonce of its own', () => {
  bench.ask(['a']);
  bench.tell('a', 1);
  bench.acknowledge(['a']);
  bench.tell('a', 2);

  const told = bench.sent.map(({ nonce, versionInfo }) => [nonce, versionInfo]);
  expect(new Set(told.map(([nonce]) => nonce)).size).toBe(2);
  expect(new Set(told.map(([, version]) => version)).size).toBe(2);
});

test('an Envoy that is slow is sent one answer at a time, and then the newest of each name', () => {
  bench.ask(['a', 'b']);
  bench.tell('a', 1);
  for (let version = 2; version <= 1_000; version += 1) bench.tell('a', version);
  bench.tell('b', 1);
  expect(bench.answers).toEqual([['a 1']]);

  bench.acknowledge(['a', 'b']);
  expect(bench.answers).toEqual([['a 1'], ['a 1000', 'b 1']]);
});

test('an answer to what was sent before the last is none', () => {
  bench.ask(['a']);
  bench.tell('a', 1);
  const { nonce } = bench.sent[0]!;
  bench.acknowledge(['a']);
  bench.tell('a', 2);
  bench.tell('a', 3);

  bench.ask(['a'], nonce);
  expect(bench.answers).toEqual([['a 1'], ['a 2']]);
  bench.acknowledge(['a']);
  expect(bench.answers).toEqual([['a 1'], ['a 2'], ['a 3']]);
});

test('who asks for more is told of that alone, once the last is acknowledged', () => {
  bench.tell('a', 1);
  bench.tell('b', 1);
  bench.ask(['a']);

  bench.ask(['a', 'b']);
  expect(bench.answers).toEqual([['a 1']]);
  bench.acknowledge(['a', 'b']);
  expect(bench.answers).toEqual([['a 1'], ['b 1']]);
});

test('what is asked for no more is followed no more, and what waited is not sent', () => {
  bench.ask(['a', 'b']);
  bench.tell('a', 1);
  bench.tell('b', 1);

  bench.acknowledge(['a']);

  expect(bench.wanted).toEqual(['a']);
  bench.tell('b', 2);
  expect(bench.answers).toEqual([['a 1']]);
});

test('what is asked for again is told again', () => {
  bench.tell('a', 1);
  bench.ask(['a']);
  bench.acknowledge([]);
  bench.ask(['a'], bench.sent.at(-1)!.nonce);

  expect(bench.answers).toEqual([['a 1'], ['a 1']]);
});

test('a name that comes twice in a request is one', () => {
  bench.tell('a', 1);
  bench.ask(['a', 'a']);

  expect(bench.answers).toEqual([['a 1']]);
});

test('a refusal is told, and the next change is sent all the same', () => {
  bench.ask(['a']);
  bench.tell('a', 1);

  bench.ask(['a'], bench.sent[0]!.nonce, 'malformed address');
  expect(bench.refusals).toEqual(['malformed address']);
  expect(bench.answers).toEqual([['a 1']]);
  bench.tell('a', 2);
  expect(bench.answers).toEqual([['a 1'], ['a 2']]);
});

test('a stream that has ended wants nothing and sends nothing', () => {
  bench.ask(['a', 'b']);
  bench.tell('a', 1);
  bench.tell('a', 2);

  bench.stream.close();
  bench.stream.close();

  expect(bench.wanted).toEqual([]);
  bench.tell('a', 3);
  expect(bench.answers).toEqual([['a 1']]);
});
