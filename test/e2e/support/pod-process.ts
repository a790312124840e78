import { join } from 'node:path';
import { type GuardedProcess, spawnGuarded } from '../../../runtime/local/guarded-process';
import type { Faults } from '../../../runtime/simulator/model-server/faults';
import type { RequestSummary } from '../../../runtime/simulator/model-server/request-log';
import { until } from '../../support/until';
import { send } from './send';

/** The bundled command. */
export const COMMAND = join(__dirname, '..', '..', '..', 'dist', 'inference-gateway.js');

/** A simulated model server in a process of its own, which ends with the test's process however that ends. */
export interface PodProcess {
  /** `ip:port`. */
  readonly address: string;
  pid(): number;
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections are accepted by the kernel and nothing is answered. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** A new process at the same address; resolves once it answers. */
  restart(): Promise<void>;
  /** Faults in force from now on; `{}` ends them. */
  faults(faults: Faults): Promise<void>;
  /** Requests that reached it since its start, oldest first, probes left out: the last 1,000. */
  requests(): Promise<readonly RequestSummary[]>;
  /** How many requests reached it since its start. */
  total(): Promise<number>;
}

/** Starts one on `address`; `flags` are those of `inference-gateway model-server`. */
export async function startPodProcess(address: string, flags: readonly string[]): Promise<PodProcess> {
  const { hostname, port } = new URL(`http://${address}`);
  const args = [COMMAND, 'model-server', '--host', hostname, '--port', port, ...flags];
  let running: GuardedProcess;

  const start = async () => {
    running = await spawnGuarded(process.execPath, args);
    const current = running;
    const words: string[] = [];
    current.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString()));
    let ended = false;
    void current.exited.then(() => {
      ended = true;
    });
    try {
      await until(`${address} answers`, async () => {
        if (ended) throw new Error(`model server ${address} ended: ${words.join('')}`);
        return (await send(`http://${address}`, '/simulator/faults').catch(() => undefined)) !== undefined;
      });
    } catch (error) {
      current.kill('SIGKILL');
      throw error;
    }
  };
  const log = async () => (await send(`http://${address}`, '/simulator/requests')).json();

  await start();
  return {
    address,
    pid: () => running.pid,
    async kill() {
      running.kill('SIGKILL');
      await running.exited;
    },
    freeze: () => running.kill('SIGSTOP'),
    thaw: () => running.kill('SIGCONT'),
    restart: start,
    async faults(faults) {
      await send(`http://${address}`, '/simulator/faults', { body: JSON.stringify(faults) });
    },
    requests: async () => (await log()).requests,
    total: async () => (await log()).total,
  };
}
