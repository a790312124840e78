import { anyUnpack, durationMs } from '@bufbuild/protobuf/wkt';
import {
  BufferPerRouteSchema,
  BufferSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/buffer/v3/buffer_pb';
import {
  ExternalProcessorSchema,
  ExtProcPerRouteSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb';
import { ProcessingMode_BodySendMode as Body } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb';
import type { HttpFilter } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import type { PoolPicker } from '../../../../runtime/inference-pools/backend-pool';
import { pickedBy, pickFilters } from '../../../../runtime/inference-pools/xds/pick-filters';
import { picked } from '../support/pools';

const FILTERS = pickFilters();
const configOf = ({ configType }: HttpFilter) => (configType.case === 'typedConfig' ? configType.value : undefined)!;
const find = <Found>(unpack: (filter: HttpFilter) => Found | undefined) => FILTERS.flatMap((one) => unpack(one) ?? []);

/** What is said of a route whose picker is so: to the filter that asks, and to the one that collects bodies. */
function said(changes: Partial<PoolPicker>, others: Parameters<typeof pickedBy>[2] = {}) {
  const configs = Object.entries(pickedBy('picker', picked('alpha', changes).picker!, others));
  const [asking] = configs.flatMap(([, config]) => anyUnpack(config, ExtProcPerRouteSchema) ?? []);
  const [collecting] = configs.flatMap(([, config]) => anyUnpack(config, BufferPerRouteSchema) ?? []);
  return {
    names: configs.map(([name]) => name),
    asking: asking?.override.case === 'overrides' ? asking.override.value : undefined,
    collecting: collecting?.override.case === 'buffer' ? collecting.override.value : undefined,
  };
}

describe('on a Gateway', () => {
  test('the filters are there, each of its own name, and do nothing', () => {
    expect(FILTERS.map(({ disabled }) => disabled)).toEqual([true, true]);
    expect(new Set(FILTERS.map(({ name }) => name)).size).toBe(FILTERS.length);
  });

  test('a body is collected before a picker is asked', () => {
    const order = FILTERS.map((one) => configOf(one).typeUrl);

    expect(order.findIndex((url) => url.endsWith('.Buffer'))).toBeLessThan(
      order.findIndex((url) => url.endsWith('.ExternalProcessor')),
    );
  });

  test('a picker hears and says what the picker protocol has, and may hold a request as long as a queue takes', () => {
    const [processor] = find((one) => anyUnpack(configOf(one), ExternalProcessorSchema));

    expect(processor?.metadataOptions?.forwardingNamespaces?.untyped).toEqual(['envoy.lb', 'envoy.lb.subset_hint']);
    expect(processor?.metadataOptions?.receivingNamespaces?.untyped).toEqual(['envoy.lb']);
    expect(durationMs(processor!.messageTimeout!)).toBeGreaterThanOrEqual(60_000);
  });
});

describe('on a route', () => {
  test('the filters of Gateways are the ones that are turned on', () => {
    const known = FILTERS.map(({ name }) => name);

    for (const bodies of ['buffered', 'full-duplex'] as const) {
      expect(known).toEqual(expect.arrayContaining(said({ bodies }).names));
    }
  });

  test.each([
    [true, true],
    [false, false],
  ])('where the pool fails open (%s) a request goes on without an answer: %s', (failsOpen, failureModeAllow) => {
    for (const bodies of ['buffered', 'full-duplex'] as const) {
      const { asking } = said({ failsOpen, bodies });

      expect(asking?.failureModeAllow).toBe(failureModeAllow);
      expect(asking?.grpcService?.targetSpecifier).toMatchObject({ value: { clusterName: 'picker' } });
    }
  });

  test('whole bodies are collected for a picker that wants them so, up to the limit of the Gateway', () => {
    const [buffer] = find((one) => anyUnpack(configOf(one), BufferSchema));

    const { asking, collecting } = said({ bodies: 'buffered' });

    expect(asking?.processingMode).toMatchObject({ requestBodyMode: Body.BUFFERED, responseBodyMode: Body.NONE });
    expect(collecting?.maxRequestBytes).toBe(buffer?.maxRequestBytes);
  });

  test("where the owner has bodies collected, by the owner's limit", () => {
    const others = { 'envoy.filters.http.buffer': configOf(FILTERS[0]!) };

    expect(said({ bodies: 'buffered' }, others)).toMatchObject({ names: [FILTERS[1]!.name], collecting: undefined });
  });

  test('in pieces go bodies to a picker that keeps to the protocol, and nothing is collected', () => {
    const { asking, collecting } = said({ bodies: 'full-duplex' });

    expect(asking?.processingMode).toMatchObject({
      requestBodyMode: Body.FULL_DUPLEX_STREAMED,
      responseBodyMode: Body.FULL_DUPLEX_STREAMED,
    });
    expect(collecting).toBeUndefined();
  });

  test('no response passes a picker without which requests go on: it would end with it', () => {
    const { asking } = said({ bodies: 'full-duplex', failsOpen: true });

    expect(asking?.processingMode).toMatchObject({
      requestBodyMode: Body.FULL_DUPLEX_STREAMED,
      responseBodyMode: Body.NONE,
    });
  });
});
