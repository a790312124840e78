import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { startProbeServer } from '../telemetry/probe-server';
import type { MetricsPage } from '../telemetry/router-metrics';
import type { FromChild, ToChild } from './messages';

/** What a process of local mode does, once it has a state. */
interface ChildService {
  update(state: GatewayState): void;
  status(): readonly PoolStatus[];
  metricsPage(): Promise<MetricsPage>;
  close(): Promise<void>;
}

interface SupervisedChildOptions {
  /** In words, for messages: `router`. */
  readonly name: string;
  readonly start: (state: GatewayState) => Promise<ChildService>;
  readonly log: Logger;
}

/**
 * A process of local mode: takes its states from the supervisor over the IPC channel, and ends with it, however the
 * supervisor ends.
 */
export function runSupervisedChild({ name, start, log }: SupervisedChildOptions): void {
  if (process.send === undefined) {
    throw new Error(`local-${name} is started by "inference-gateway local"; run that instead`);
  }
  let starting: Promise<ChildService> | undefined;
  const tell = (message: FromChild) => {
    // A supervisor that has just died is no fault; `disconnect` tells of it.
    if (process.connected) process.send?.(message, () => {});
  };

  const startAll = async (state: GatewayState) => {
    const service = await start(state);
    const probes = await startProbeServer({
      host: '127.0.0.1',
      port: 0,
      page: () => service.metricsPage(),
      ready: () => true,
    });
    tell({ type: 'serving', metricsPort: probes.port });
    return {
      ...service,
      async close() {
        await Promise.all([service.close(), probes.close()]);
      },
    };
  };
  const takeState = async ({ state, sequence }: ToChild & { type: 'state' }) => {
    if (starting === undefined) {
      starting = startAll(state);
      await starting;
    } else (await starting).update(state);
    tell({ type: 'applied', sequence });
  };
  const stop = async () => {
    await (await starting)?.close();
    process.exit(0);
  };

  process.on('message', (message: ToChild) => {
    switch (message.type) {
      case 'state':
        takeState(message).catch((error: Error) => {
          log.fatal({ reason: error.message }, `${name} cannot start`);
          process.exit(1);
        });
        break;
      case 'status':
        void starting?.then((running) => tell({ type: 'status', pools: running.status() }));
        break;
    }
  });
  // The supervisor is gone: there is nobody left to drain for.
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => void stop());
  tell({ type: 'ready' });
}
