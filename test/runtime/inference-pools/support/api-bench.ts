import { pino } from 'pino';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import type { FollowOptions } from '../../../../runtime/inference-pools/discovery/followed-resource';
import { createHttpApiClient, type HttpApiClient } from '../../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { VirtualClock } from '../../../support/clocks';
import { FakeApiServer } from '../../../support/fake-api-server/fake-api-server';
import { until } from '../../../support/until';

/** An API server, and what follows it needs. Its answers take real time; delays and periods pass when a test says so. */
export class ApiBench {
  readonly clock = new VirtualClock();
  readonly stop = new AbortController();

  private constructor(
    readonly server: FakeApiServer,
    readonly client: HttpApiClient,
  ) {}

  static async open(): Promise<ApiBench> {
    const server = await FakeApiServer.start();
    return new ApiBench(server, createHttpApiClient({ access: server.access, random: () => 0.5 }));
  }

  get options(): FollowOptions {
    const { client, clock, stop } = this;
    return { client, clock, random: () => 0.5, log: pino({ level: 'silent' }), signal: stop.signal };
  }

  put(...objects: readonly KubernetesObject[]): void {
    for (const object of objects) this.server.cluster.put(resourceOf(object.apiVersion, object.kind), object);
  }

  remove({ apiVersion, kind, metadata }: KubernetesObject): void {
    this.server.cluster.delete(resourceOf(apiVersion, kind), metadata.name, metadata.namespace);
  }

  /** While the API server answers, `ms` pass again and again. */
  async until(what: string, probe: () => boolean, ms = 20): Promise<void> {
    await until(what, async () => {
      await this.clock.advance(ms);
      return probe();
    });
  }

  /** Long enough for what has happened to be known and told. */
  async settled(): Promise<void> {
    const { length } = this.server.requests;
    for (let round = 0; round < 10; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await this.clock.advance(20);
    }
    if (this.server.requests.length > length) await this.settled();
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.client.close();
    await this.server.close();
  }
}
