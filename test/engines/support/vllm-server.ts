import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, send } from '../../e2e/support/send';
import { startProcessGroup } from './process-group';
import { Skip } from './skip';

/** What the tests know of a server beforehand. */
export interface VllmAddress {
  readonly host: string;
  readonly port: number;
  /** TCP ports on all interfaces: vLLM listens on no other. */
  readonly kvEventsPort: number;
  readonly kvReplayPort: number;
}

export interface VllmServer {
  close(): Promise<void>;
}

export const MODEL = 'tiny';
export const ADAPTERS = ['tone', 'sql'] as const;
/** Requests that run at once; more wait. */
export const MAX_RUNNING = 4;
/** The CPU backend takes multiples of 32. */
export const BLOCK_TOKENS = 32;
export const BLOCKS = 256;
/** Tokens of one request: prompt and answer. */
export const CONTEXT = 2048;

/** From the start to the first answer: 45 s on a quiet machine, 5 minutes where others work beside it. */
const START_MS = 15 * 60_000;
const END_MS = 30_000;

/**
 * Starts `vllm serve` on the files of make_model.py in `files`, and resolves once it has answered a request. Rejects with
 * `Skip` when it is alive and not ready in time, with another error when it ends. It ends with this process.
 */
export async function startVllm(python: string, files: string, address: VllmAddress): Promise<VllmServer> {
  const { host, port } = address;
  // One slot for adapters, so that the two adapters do not fit beside each other.
  const flags = {
    'served-model-name': MODEL,
    dtype: 'float32',
    'max-model-len': CONTEXT,
    'max-num-seqs': MAX_RUNNING,
    'block-size': BLOCK_TOKENS,
    'num-gpu-blocks-override': BLOCKS,
    'max-loras': 1,
    'max-cpu-loras': ADAPTERS.length,
    'max-lora-rank': 8,
    'kv-events-config': JSON.stringify({
      enable_kv_cache_events: true,
      publisher: 'zmq',
      endpoint: `tcp://*:${address.kvEventsPort}`,
      replay_endpoint: `tcp://*:${address.kvReplayPort}`,
    }),
    host,
    port,
  };
  const args = [
    ...['-n', '10', python, '-m', 'vllm.entrypoints.cli.main', 'serve', join(files, 'model')],
    ...['--enforce-eager', '--enable-prefix-caching', '--enable-lora'],
    ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...['--lora-modules', ...ADAPTERS.map((adapter) => `${adapter}=${join(files, adapter)}`)],
  ];
  const server = startProcessGroup('nice', args, environment());
  let ended = false;
  void server.ended.then(() => {
    ended = true;
  });

  const close = () => server.close(END_MS);
  try {
    const deadline = performance.now() + START_MS;
    while (!(await answers(address))) {
      if (ended) throw new Error(`vLLM at ${host}:${port} ended before it was ready:\n${server.output()}`);
      if (performance.now() > deadline) {
        throw new Skip(`the machine is too slow: vLLM was not ready within ${START_MS / 60_000} minutes`);
      }
      await sleep(500);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/** No hub, no usage statistics; one thread each, so that two servers do not press each other off the cores. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HF_HUB_OFFLINE: '1',
    VLLM_NO_USAGE_STATS: '1',
    VLLM_CPU_KVCACHE_SPACE: '1',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
    OMP_NUM_THREADS: '1',
  };
}

async function answers({ host, port }: VllmAddress): Promise<boolean> {
  try {
    return (await send(`http://${host}:${port}`, '/v1/chat/completions', { body: chatBody(MODEL) })).status === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}
