/**
 * What it costs a controller that each cluster of a pool in each Envoy asks it for endpoints over a connection of its own, by
 * mutual TLS: memory, CPU, and the time until a change of one pod has reached all. The connections come from another process,
 * and all ask for one pool. The baseline of a change: the same, told to one connection.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HealthStatus } from '../../runtime/envoy-api/generated/envoy/config/core/v3/health_check_pb';
import { ClusterLoadAssignmentSchema } from '../../runtime/envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import {
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
} from '../../runtime/envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import { EndpointDiscoveryService } from '../../runtime/envoy-api/generated/envoy/service/endpoint/v3/eds_pb';
import { grpcService } from '../../runtime/envoy-api/grpc-service';
import { assignment } from '../../runtime/inference-pools/discovery/assignment';
import { createPoolMetrics } from '../../runtime/inference-pools/metrics';
import { startPoolServer } from '../../runtime/inference-pools/server/pool-server';
import { fixedCertificates, newTrust, type Trust } from '../runtime/inference-pools/support/mutual-tls';

const CONNECTIONS = [1, 250, 500, 1000];
const PODS = 100;
const CHANGES = 20;
const POOL = 'inference-pool/models/alpha';

/** What the process that connects is told: to add so many connections. It says a word each time all have been told of pods. */
interface Order {
  readonly port: number;
  readonly trust: Trust;
  readonly add: number;
}

async function main(): Promise<void> {
  const trust = await newTrust();
  const listeners = new Set<(assignment: Any) => void>();
  let known = endpoints(PODS);
  const server = await startPoolServer(
    { host: '127.0.0.1', port: 0 },
    {
      hooks: { postRouteModify: unasked, postTranslateModify: unasked },
      source: {
        subscribe(_, listener) {
          listeners.add(listener);
          listener(known);
          return () => void listeners.delete(listener);
        },
      },
      certificates: fixedCertificates(trust),
      log: pino({ enabled: false }),
      metrics: createPoolMetrics(new Registry()),
    },
  );
  const envoys = fork(__filename, ['connect'], { execArgv: process.execArgv });
  const before = process.memoryUsage().rss;
  let alone: number | undefined;
  for (const connections of CONNECTIONS) {
    const connected = once(envoys, 'message');
    envoys.send({ port: server.port, trust, add: connections - listeners.size } satisfies Order);
    await connected;
    const cpu = process.cpuUsage();
    const start = performance.now();
    for (let change = 1; change <= CHANGES; change += 1) {
      const reached = once(envoys, 'message');
      known = endpoints(PODS + (change % 2));
      for (const listener of listeners) listener(known);
      await reached;
    }
    const ms = (performance.now() - start) / CHANGES;
    const { user, system } = process.cpuUsage(cpu);
    alone ??= ms;
    const kib = (process.memoryUsage().rss - before) / 1024 / connections;
    console.log(
      `${connections} connections: a change has reached all after ${ms.toFixed(1)} ms (${(ms / alone).toFixed(1)} times one), ` +
        `${((user + system) / 1000 / CHANGES).toFixed(1)} ms CPU${connections > 1 ? `; ${kib.toFixed(0)} KiB a connection` : ''}`,
    );
  }
  envoys.kill();
  await server.close();
}

/** The process that connects. */
function connect(): void {
  const clients: Client[] = [];
  let awaited = 0;
  process.on('message', ({ port, trust, add }: Order) => {
    awaited = add;
    for (let n = 0; n < add; n += 1) clients.push(ask(port, trust, told));
  });

  function told(): void {
    awaited -= 1;
    if (awaited > 0) return;
    awaited = clients.length;
    process.send!('all');
  }
}

/** As Envoy: a connection of its own, one stream, and each answer acknowledged. */
function ask(port: number, { ca, envoy }: Trust, onTold: () => void): Client {
  const identity = [Buffer.from(envoy.key), Buffer.from(envoy.certificate)] as const;
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(Buffer.from(ca), ...identity), {
    'grpc.ssl_target_name_override': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  });
  const { path, requestSerialize, responseDeserialize } = grpcService(EndpointDiscoveryService).streamEndpoints!;
  const call = client.makeBidiStreamRequest(
    path,
    requestSerialize as (request: DiscoveryRequest) => Buffer,
    responseDeserialize as (bytes: Buffer) => DiscoveryResponse,
  );
  const send = (responseNonce: string) =>
    call.write(create(DiscoveryRequestSchema, { resourceNames: [POOL], responseNonce }));
  call.on('data', ({ nonce }: DiscoveryResponse) => {
    send(nonce);
    onTold();
  });
  send('');
  return client;
}

function endpoints(pods: number): Any {
  const each = Array.from({ length: pods }, (_, index) => ({
    address: `10.0.0.${index}`,
    port: 8000,
    health: HealthStatus.HEALTHY,
  }));
  return anyPack(ClusterLoadAssignmentSchema, assignment(POOL, [each]));
}

function unasked(): never {
  throw new Error('nobody asks about configurations here');
}

if (process.argv[2] === 'connect') connect();
else void main();
