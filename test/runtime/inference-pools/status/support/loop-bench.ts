import { pino } from 'pino';
import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import { ENVOY_GATEWAY_CONTROLLER } from '../../../../../lib/translate/cluster/names';
import {
  type PoolStatusLoop,
  startPoolStatusLoop,
} from '../../../../../runtime/inference-pools/status/pool-status-loop';
import { createHttpApiClient, type HttpApiClient } from '../../../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../../../runtime/kubernetes/resources';
import { fastClock } from '../../../../support/clocks';
import { FakeApiServer, type SeenRequest } from '../../../../support/fake-api-server/fake-api-server';
import { until } from '../../../../support/until';

export const POOLS = resourceOf('inference.networking.k8s.io/v1', 'InferencePool');

/** Delays pass so much faster than they are. */
const SPEED = 20;

export interface Parent {
  readonly parentRef: { readonly namespace: string; readonly name: string };
  readonly controllerName: string;
  readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string; readonly reason: string }>;
}

/** The loop before a server that a test breaks. */
export class LoopBench {
  readonly warnings: string[] = [];
  readonly failures: string[] = [];
  mayWrite = true;
  readonly stop = new AbortController();

  private constructor(
    readonly server: FakeApiServer,
    readonly client: HttpApiClient,
  ) {}

  static async open(): Promise<LoopBench> {
    const server = await FakeApiServer.start();
    return new LoopBench(server, createHttpApiClient({ access: server.access, random: () => 0.5 }));
  }

  start(): PoolStatusLoop {
    return startPoolStatusLoop({
      client: this.client,
      installation: { gatewayControllerName: ENVOY_GATEWAY_CONTROLLER },
      mayWrite: () => Promise.resolve(this.mayWrite),
      metrics: { failed: (kind, code) => this.failures.push(`${kind} ${code}`) },
      clock: fastClock(SPEED),
      random: () => 0.5,
      log: pino({ level: 'warn' }, { write: (line) => this.warnings.push((JSON.parse(line) as { msg: string }).msg) }),
      signal: this.stop.signal,
    });
  }

  put(...objects: readonly KubernetesObject[]): void {
    for (const object of objects) this.server.cluster.put(resourceOf(object.apiVersion, object.kind), object);
  }

  remove({ apiVersion, kind, metadata }: KubernetesObject): void {
    this.server.cluster.delete(resourceOf(apiVersion, kind), metadata.name, metadata.namespace);
  }

  parents(name = 'llama'): readonly Parent[] {
    const status = this.server.cluster.get(POOLS, name, 'team')?.status as { parents?: Parent[] } | undefined;
    return status?.parents ?? [];
  }

  /** `gateway Accepted/reason ResolvedRefs/reason`; of others the name of the controller. */
  told(name = 'llama'): string[] {
    return this.parents(name).map(({ parentRef, controllerName, conditions }) => {
      if (!controllerName.startsWith('inference.sagemaker')) return controllerName;
      return [parentRef.name, ...conditions.map(({ status, reason }) => `${status}/${reason}`)].join(' ');
    });
  }

  async untilTold(expected: readonly string[], name = 'llama'): Promise<void> {
    await until(
      `status.parents is ${JSON.stringify(expected)}`,
      () => JSON.stringify(this.told(name)) === JSON.stringify(expected),
      5_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(this.told(name))}`);
    });
  }

  /** Longer than it takes to look at everything, and to write. */
  async quiet(): Promise<void> {
    await fastClock(SPEED).sleep(2_000);
  }

  writes(): readonly SeenRequest[] {
    return this.server.requests.filter(isWrite);
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.client.close();
    await this.server.close();
  }
}

export function isWrite({ method, path }: SeenRequest): boolean {
  return method === 'PATCH' && path.endsWith('/status');
}
