import { type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';

/** A service as grpc-js wants it, from its generated description. */
export function grpcService(service: DescService): ServiceDefinition<Record<string, UntypedHandleCall>> {
  return Object.fromEntries(
    service.methods.map(({ name, localName, methodKind, input, output }) => [
      localName,
      {
        path: `/${service.typeName}/${name}`,
        originalName: localName,
        requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
        responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
        requestSerialize: (message: Message) => Buffer.from(toBinary(input, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
        responseSerialize: (message: Message) => Buffer.from(toBinary(output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(output, bytes),
      },
    ]),
  );
}
