import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ClusterLoadAssignmentSchema } from '../../../../runtime/envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import {
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
} from '../../../../runtime/envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import { EndpointDiscoveryService } from '../../../../runtime/envoy-api/generated/envoy/service/endpoint/v3/eds_pb';
import {
  EnvoyGatewayExtension,
  type PostRouteModifyRequestSchema,
  type PostRouteModifyResponse,
  type PostTranslateModifyRequestSchema,
  type PostTranslateModifyResponse,
} from '../../../../runtime/envoy-api/generated/proto/extension/service_pb';
import { grpcService } from '../../../../runtime/envoy-api/grpc-service';
import { MAX_MESSAGE_BYTES } from '../../../../runtime/inference-pools/server/pool-server';
import type { Trust } from './mutual-tls';
import { endpointsOf } from './told';

const HOOKS = grpcService(EnvoyGatewayExtension);
const DISCOVERY = grpcService(EndpointDiscoveryService);

/** Milliseconds. */
const DEADLINE = 20_000;

/** Who shows a certificate, and whom it trusts. */
export type Shown = Pick<Trust, 'ca'> & { readonly client?: Trust['client'] };

/** Envoy Gateway and Envoys, as the server sees them. */
export class PoolClient {
  private readonly client: Client;
  private readonly streams: EndpointStream[] = [];

  constructor(port: number, { ca, client }: Shown, serverName = 'localhost') {
    const [key, certificate] = client ? [Buffer.from(client.key), Buffer.from(client.certificate)] : [null, null];
    this.client = new Client(`127.0.0.1:${port}`, credentials.createSsl(Buffer.from(ca), key, certificate), {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      'grpc.ssl_target_name_override': serverName,
      // Else clients of one process share connections.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  postRouteModify(request: MessageInitShape<typeof PostRouteModifyRequestSchema>): Promise<PostRouteModifyResponse> {
    return this.ask('postRouteModify', create(EnvoyGatewayExtension.method.postRouteModify.input, request));
  }

  postTranslateModify(
    request: MessageInitShape<typeof PostTranslateModifyRequestSchema>,
    deadlineMs = DEADLINE,
  ): Promise<PostTranslateModifyResponse> {
    const message = create(EnvoyGatewayExtension.method.postTranslateModify.input, request);
    return this.ask('postTranslateModify', message, deadlineMs);
  }

  private ask<Response>(name: string, request: unknown, deadlineMs = DEADLINE): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = HOOKS[name]!;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize as (request: unknown) => Buffer,
        responseDeserialize as (bytes: Buffer) => Response,
        request,
        new Metadata(),
        { deadline: Date.now() + deadlineMs },
        (error: ServiceError | null, response?: Response) => (error ? reject(error) : resolve(response!)),
      );
    });
  }

  streamEndpoints(): EndpointStream {
    const { path, requestSerialize, responseDeserialize } = DISCOVERY.streamEndpoints!;
    const stream = new EndpointStream(
      this.client.makeBidiStreamRequest(
        path,
        requestSerialize as (request: DiscoveryRequest) => Buffer,
        responseDeserialize as (bytes: Buffer) => DiscoveryResponse,
      ),
    );
    this.streams.push(stream);
    return stream;
  }

  close(): void {
    for (const stream of this.streams) stream.cancel();
    this.client.close();
  }
}

/** An Envoy that acknowledges what it is told. */
export class EndpointStream {
  /** `NAME: ENDPOINTS`, in order. */
  readonly told: string[] = [];
  /** With what it has ended. */
  ended: ServiceError | 'at peace' | undefined;
  private names: readonly string[] = [];

  constructor(private readonly call: ClientDuplexStream<DiscoveryRequest, DiscoveryResponse>) {
    call.on('data', (response: DiscoveryResponse) => {
      for (const resource of response.resources) {
        const assignment = anyUnpack(resource, ClusterLoadAssignmentSchema)!;
        this.told.push(`${assignment.clusterName}: ${endpointsOf(assignment)}`);
      }
      this.send({ responseNonce: response.nonce });
    });
    call.on('error', (error: ServiceError) => {
      this.ended = error;
    });
    call.on('end', () => {
      this.ended ??= 'at peace';
    });
  }

  ask(...names: readonly string[]): void {
    this.names = names;
    this.send({});
  }

  refuse(message: string): void {
    this.send({ errorDetail: { message } });
  }

  end(): void {
    this.call.end();
  }

  cancel(): void {
    this.call.cancel();
  }

  private send(fields: MessageInitShape<typeof DiscoveryRequestSchema>): void {
    this.call.write(create(DiscoveryRequestSchema, { resourceNames: [...this.names], ...fields }));
  }
}
