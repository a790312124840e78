import { pino } from 'pino';
import { createHttpApiClient, type HttpApiClient } from '../../../../runtime/kubernetes/http-api-client';
import { type Informer, type InformerOptions, startInformer } from '../../../../runtime/kubernetes/informer';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { fastClock } from '../../../support/clocks';
import { FakeApiServer } from '../../../support/fake-api-server/fake-api-server';
import { until } from '../../../support/until';

export const PODS = resourceOf('v1', 'Pod');
export const GATEWAYS = resourceOf('gateway.networking.k8s.io/v1', 'Gateway');

/** Delays of the informer pass so much faster than they are. */
export const SPEED = 100;

/** Longer than any test. */
const NEVER = 100_000_000;

export interface Started {
  readonly informer: Informer;
  /** `+name`, `-name`, `~name`, in order. */
  readonly changes: string[];
  readonly syncs: string[];
  readonly faults: string[];
}

/** Informers of pods before a server that a test breaks. */
export class InformerBench {
  readonly stop = new AbortController();

  private constructor(
    readonly server: FakeApiServer,
    readonly client: HttpApiClient,
  ) {}

  static async open(): Promise<InformerBench> {
    const server = await FakeApiServer.start();
    const limits = { silenceMs: 500, requestTimeoutMs: 500 };
    return new InformerBench(server, createHttpApiClient({ access: server.access, random: () => 0.5, ...limits }));
  }

  start(options: Partial<InformerOptions> = {}): Started {
    const started = { changes: [] as string[], syncs: [] as string[], faults: [] as string[] };
    const informer = startInformer({
      client: this.client,
      resource: PODS,
      clock: fastClock(SPEED),
      random: () => 0.5,
      log: pino({ level: 'silent' }),
      signal: this.stop.signal,
      relistMs: NEVER,
      onChange: (old, now) => {
        const { name } = (now ?? old)!.metadata;
        started.changes.push(`${old === undefined ? '+' : now === undefined ? '-' : '~'}${name}`);
      },
      onSync: (state) => started.syncs.push(state),
      onFault: ({ message }) => started.faults.push(message),
      ...options,
    });
    return { informer, ...started };
  }

  async synced({ informer }: Started): Promise<void> {
    await until('it is synced', () => informer.state() === 'synced');
    await until('it watches', () => this.server.openWatches() === 1);
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.client.close();
    await this.server.close();
  }
}

export function pod(name: string, phase = 'Running', more: object = {}) {
  return { metadata: { name, namespace: 'team', ...more }, status: { phase } };
}
