import {
  clone,
  create,
  createRegistry,
  type DescMessage,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { type Any, anyPack, anyUnpack, StringValueSchema } from '@bufbuild/protobuf/wkt';
import {
  BufferPerRouteSchema,
  BufferSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/buffer/v3/buffer_pb';
import {
  ExternalProcessorSchema,
  ExtProcPerRouteSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb';
import { HttpConnectionManagerSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import { HeaderMutationSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb';
import { LeastRequestSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/load_balancing_policies/least_request/v3/least_request_pb';
import { OverrideHostSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/load_balancing_policies/override_host/v3/override_host_pb';
import { UpstreamTlsContextSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/tls_pb';
import { HttpProtocolOptionsSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/upstreams/http/v3/http_protocol_options_pb';

const REGISTRY = createRegistry(
  HttpConnectionManagerSchema,
  HeaderMutationSchema,
  BufferSchema,
  BufferPerRouteSchema,
  ExternalProcessorSchema,
  ExtProcPerRouteSchema,
  OverrideHostSchema,
  LeastRequestSchema,
  HttpProtocolOptionsSchema,
  UpstreamTlsContextSchema,
  StringValueSchema,
);

/** A message as JSON, whatever is in it: of an Any whose type is not among those above, the type and the bytes. */
export function readable<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): JsonValue {
  const copy = clone(schema, message);
  wrapStrangers(copy);
  return unwrapStrangers(toJson(schema, copy, { registry: REGISTRY }));
}

const isAny = (value: object): value is Any => '$typeName' in value && value.$typeName === 'google.protobuf.Any';

/** What nothing is known of becomes a text, which has a form in JSON. */
function wrapStrangers(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (!isAny(value)) {
    for (const part of Object.values(value)) wrapStrangers(part);
    return;
  }
  const schema = REGISTRY.getMessage(value.typeUrl.slice(value.typeUrl.lastIndexOf('/') + 1));
  const known = schema && anyUnpack(value, schema);
  if (known) {
    wrapStrangers(known);
    value.value = anyPack(schema, known).value;
  } else {
    const text = `${value.typeUrl} ${Buffer.from(value.value).toString('base64')}`;
    Object.assign(value, anyPack(StringValueSchema, create(StringValueSchema, { value: text })));
  }
}

function unwrapStrangers(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(unwrapStrangers);
  if (json['@type'] === `type.googleapis.com/${StringValueSchema.typeName}`) {
    const [type = '', bytes = ''] = String(json.value).split(' ');
    return { '@type': type, bytes };
  }
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, unwrapStrangers(value)]));
}
