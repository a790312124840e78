import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  BufferPerRouteSchema,
  BufferSchema,
} from '../../envoy-api/generated/envoy/extensions/filters/http/buffer/v3/buffer_pb';
import {
  ExternalProcessor_RouteCacheAction,
  ExternalProcessorSchema,
  ExtProcPerRouteSchema,
} from '../../envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb';
import {
  ProcessingMode_BodySendMode as Body,
  ProcessingMode_HeaderSendMode as Headers,
  type ProcessingModeSchema,
} from '../../envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb';
import {
  type HttpFilter,
  HttpFilterSchema,
} from '../../envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import type { PoolPicker } from '../backend-pool';
import { NO_PICKER } from './cluster-names';
import { LB_METADATA, SUBSET_METADATA } from './destination-headers';
import { duration } from './duration';
import { typed } from './extension-config';

const BUFFER = 'envoy.filters.http.buffer/inference-gateway';
const PICK = 'envoy.filters.http.ext_proc/inference-gateway';

/** The filter by which the owner of a Gateway has bodies collected, as Envoy Gateway names it. */
const OWNERS_BUFFER = 'envoy.filters.http.buffer';

/** Largest body that is collected for a picker; above it a request gets 413. Bytes. */
const MAX_BODY_BYTES = 50 << 20;

/**
 * Longest time that a picker may hold a request, as it may queue it. One that has died or hangs is noticed by its
 * cluster's checks long before. Milliseconds.
 */
const MESSAGE_TIMEOUT_MS = 120_000;

type Mode = MessageInitShape<typeof ProcessingModeSchema>;

/** No body of a response goes to the picker: its stream ends with the response all the same, and nothing is lost with it. */
const BUFFERED: Mode = {
  requestHeaderMode: Headers.SEND,
  requestBodyMode: Body.BUFFERED,
  requestTrailerMode: Headers.SKIP,
  responseHeaderMode: Headers.SEND,
  responseBodyMode: Body.NONE,
  responseTrailerMode: Headers.SKIP,
};

/** What the picker protocol asks for. */
const FULL_DUPLEX: Mode = {
  requestHeaderMode: Headers.SEND,
  requestBodyMode: Body.FULL_DUPLEX_STREAMED,
  requestTrailerMode: Headers.SEND,
  responseHeaderMode: Headers.SEND,
  responseBodyMode: Body.FULL_DUPLEX_STREAMED,
  responseTrailerMode: Headers.SEND,
};

/** Responses that pass a picker end with it, however long they have been under way: that is no failing open. */
const FULL_DUPLEX_REQUESTS: Mode = {
  ...FULL_DUPLEX,
  responseBodyMode: Body.NONE,
  responseTrailerMode: Headers.SKIP,
};

function modeOf({ bodies, failsOpen }: PoolPicker): Mode {
  if (bodies === 'buffered') return BUFFERED;
  return failsOpen ? FULL_DUPLEX_REQUESTS : FULL_DUPLEX;
}

/**
 * What asks pickers, the same on every Gateway, and off but where a route turns it on: pools come and go without a change of
 * a listener, which would end connections.
 */
export function pickFilters(): HttpFilter[] {
  return [
    disabled(BUFFER, typed(BufferSchema, { maxRequestBytes: MAX_BODY_BYTES })),
    disabled(PICK, typed(ExternalProcessorSchema, processor())),
  ];
}

function disabled(name: string, value: Any): HttpFilter {
  return create(HttpFilterSchema, { name, disabled: true, configType: { case: 'typedConfig', value } });
}

function processor(): MessageInitShape<typeof ExternalProcessorSchema> {
  return {
    // Every route that turns it on says whom to ask, and how.
    grpcService: asking(NO_PICKER),
    processingMode: FULL_DUPLEX,
    messageTimeout: duration(MESSAGE_TIMEOUT_MS),
    // A picker chooses among the pods of its pool, and not another route: what guards that has been passed already.
    routeCacheAction: ExternalProcessor_RouteCacheAction.RETAIN,
    // Our picker asks for the body of a response where it has to read it, or to set a name back in it.
    allowModeOverride: true,
    metadataOptions: {
      forwardingNamespaces: { untyped: [LB_METADATA, SUBSET_METADATA] },
      receivingNamespaces: { untyped: [LB_METADATA] },
    },
    responseAttributes: ['upstream.address', 'upstream.request_attempt_count', 'response.code_details'],
  };
}

/** By name of the filter: how the requests of a route, or of one of its clusters, are picked for by that cluster. */
export function pickedBy(
  cluster: string,
  picker: PoolPicker,
  others: Readonly<Record<string, Any>>,
): Record<string, Any> {
  const collects = picker.bodies === 'buffered' && others[OWNERS_BUFFER] === undefined;
  return {
    ...(collects && {
      [BUFFER]: typed(BufferPerRouteSchema, {
        override: { case: 'buffer', value: { maxRequestBytes: MAX_BODY_BYTES } },
      }),
    }),
    [PICK]: typed(ExtProcPerRouteSchema, {
      override: {
        case: 'overrides',
        value: {
          grpcService: asking(cluster),
          processingMode: modeOf(picker),
          failureModeAllow: picker.failsOpen,
        },
      },
    }),
  };
}

const asking = (clusterName: string) => ({
  targetSpecifier: { case: 'envoyGrpc' as const, value: { clusterName } },
});
