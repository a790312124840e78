import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import {
  type TypedExtensionConfig,
  TypedExtensionConfigSchema,
} from '../../envoy-api/generated/envoy/config/core/v3/extension_pb';

/** A message as it stands where any may. */
export function typed<Desc extends DescMessage>(schema: Desc, fields: MessageInitShape<Desc>): Any {
  return anyPack(schema, create(schema, fields));
}

export function extensionConfig<Desc extends DescMessage>(
  name: string,
  schema: Desc,
  fields: MessageInitShape<Desc>,
): TypedExtensionConfig {
  return create(TypedExtensionConfigSchema, { name, typedConfig: typed(schema, fields) });
}
