import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import type { PendingPick, PickRequest, PickResult } from '../../../../runtime/endpoint-picker/endpoint-picker';
import type { PickerTarget } from '../../../../runtime/picker-rpc/connect/picker-address';
import {
  type RemotePicker,
  type RemotePickerOptions,
  remotePicker,
} from '../../../../runtime/picker-rpc/connect/remote-picker';
import {
  type PickerServer,
  type PickerServerOptions,
  servePickerRpc,
} from '../../../../runtime/picker-rpc/serve/picker-server';

export const GATEWAY = 'default/test';
export const SCHEDULER = 'default/llama';

export const REQUEST: PickRequest = {
  scheduler: SCHEDULER,
  model: 'llama',
  promptBytes: 400,
  prefixHashes: [1, 2, 3],
  explain: false,
};

/** A mock of a picker behind the real server: it always picks its own name, and writes down what it is told. */
export interface MockReplica {
  readonly server: PickerServer;
  readonly target: PickerTarget;
  /** Requests that it was asked to pick for. */
  readonly asked: readonly PickRequest[];
  /** Requests that it was told of, with the endpoints. */
  readonly told: ReadonlyArray<{ readonly request: PickRequest; readonly endpoints: readonly string[] }>;
  /** Requests in its ledger, and the statuses with which others have ended. */
  inFlight(): number;
  readonly ended: ReadonlyArray<number | undefined>;
  /** Addresses and statuses. */
  readonly served: ReadonlyArray<readonly [address: string | undefined, status: number | undefined]>;
  /** From now on picks are held, until the function that is returned decides them. */
  hold(): () => void;
  /** What is held and not cancelled. */
  waiting(): number;
  /** From now on it throws. */
  fail(): void;
}

export interface Rig {
  replica(name: string, options?: Partial<PickerServerOptions>): Promise<MockReplica>;
  /** A router, once it is connected to all of them. */
  router(
    replicas: readonly Pick<MockReplica, 'target'>[],
    options?: Partial<RemotePickerOptions>,
  ): Promise<RemotePicker>;
  /** The same, not connected yet. */
  lonelyRouter(options: Partial<RemotePickerOptions>): RemotePicker;
  /** What was logged, as JSON lines. */
  readonly logs: readonly string[];
  readonly log: Logger;
  readonly folder: string;
  close(): Promise<void>;
}

export async function createRig(): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'picker-rpc-'));
  const logs: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) });
  const servers: PickerServer[] = [];
  const routers: RemotePicker[] = [];
  const clock = () => performance.now();
  let boots = 0;
  function lonelyRouter(options: Partial<RemotePickerOptions>): RemotePicker {
    const router = remotePicker({
      targets: [],
      gateway: () => GATEWAY,
      router: 'router',
      boot: String(++boots),
      tls: () => undefined,
      longestHoldMs: () => 10_000,
      clock,
      random: Math.random,
      log,
      // Both sides share this process, which may be busy with other things.
      answerDeadlineMs: 10_000,
      ...options,
    });
    routers.push(router);
    return router;
  }

  return {
    logs,
    log,
    folder,
    async replica(name, options = {}) {
      const mock = createMock(name);
      const path = join(folder, `${name}.sock`);
      const server = await servePickerRpc({
        picker: { pick: mock.pick },
        enter: mock.enter,
        knows: (scheduler) => scheduler === SCHEDULER,
        onPickerError() {},
        listen: { path },
        gateway: () => GATEWAY,
        ready: () => [],
        identity: { replica: name, boot: String(++boots), startedAt: boots, schedulers: undefined },
        clock,
        log,
        ...options,
      });
      servers.push(server);
      const { address } = server;
      return { ...mock, server, target: { scheduler: undefined, address } };
    },
    async router(replicas, options = {}) {
      const router = lonelyRouter({ targets: replicas.map(({ target }) => target), ...options });
      await router.untilConnected(5_000);
      return router;
    },
    lonelyRouter,
    async close() {
      for (const router of routers) router.close();
      await Promise.all(servers.map((server) => server.close(0)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function createMock(name: string) {
  const asked: PickRequest[] = [];
  const told: Array<{ request: PickRequest; endpoints: readonly string[] }> = [];
  const ended: Array<number | undefined> = [];
  const served: Array<readonly [string | undefined, number | undefined]> = [];
  const held = new Set<() => void>();
  let open = 0;
  let holding = false;
  let failing = false;
  const ticket = () => {
    open += 1;
    return {
      served: (address: string | undefined, _?: number, status?: number) => void served.push([address, status]),
      firstToken() {},
      done(status?: number) {
        open -= 1;
        ended.push(status);
      },
    };
  };
  const picked = (): PickResult => ({ outcome: 'picked', endpoints: [`${name}:1`, 'other:1'], ticket: ticket() });
  return {
    asked,
    told,
    ended,
    served,
    inFlight: () => open,
    waiting: () => held.size,
    fail() {
      failing = true;
    },
    hold() {
      holding = true;
      return () => {
        holding = false;
        for (const decide of held) decide();
      };
    },
    pick(request: PickRequest): PickResult | PendingPick {
      asked.push(request);
      if (failing) throw new Error('a fault of the mock');
      if (!holding) return picked();
      const { promise, resolve } = Promise.withResolvers<PickResult>();
      const decide = () => {
        held.delete(decide);
        resolve(picked());
      };
      held.add(decide);
      return {
        result: promise,
        cancel() {
          held.delete(decide);
          resolve({ outcome: 'cancelled', retryAfterSeconds: 1 });
        },
      };
    },
    enter(request: PickRequest, endpoints: readonly string[]) {
      told.push({ request, endpoints });
      return ticket();
    },
  };
}

/** The result of a pick, now or later. */
export async function resultOf(picked: PickResult | PendingPick): Promise<PickResult> {
  return 'outcome' in picked ? picked : await picked.result;
}
