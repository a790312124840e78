import { Command } from 'commander';
import { ENGINE_PROFILES } from '../../runtime/simulator/engine/profiles';
import { FAULTS_HELP } from '../../runtime/simulator/model-server/faults';
import { startModelServer } from '../../runtime/simulator/model-server/model-server';
import { parseModelServerOptions } from '../../runtime/simulator/model-server/options';
import { EXIT_USAGE, fail } from '../exit';

/** A simulated model server as a process of its own. */
export function modelServerCommand(): Command {
  return new Command('model-server')
    .description('run a simulated OpenAI-compatible model server (no GPU; timing by a published engine model)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', '8000')
    .option('--model <name>', 'name of the base model (default: the profile names it)')
    .option('--adapters <name...>', 'LoRA adapters that can be asked for')
    .option(
      '--profile <name>',
      `model and hardware to play: ${Object.keys(ENGINE_PROFILES).join(', ')}`,
      'llama-8b-h100',
    )
    .option('--max-lora <count>', 'adapters on the GPU at once')
    .option('--speed <factor>', 'engine seconds per second', '1')
    .option('--seed <number>', 'seed of the spread of step times', '1')
    .option('--dialect <engine>', 'metric names of /metrics: vllm, sglang, tgi, trtllm, triton', 'vllm')
    .option('--metrics-bytes <bytes>', 'pad /metrics to this size')
    .option('--kv-events-port <port>', 'publish KV cache events as vLLM does, over ZMQ; 0 takes a free port')
    .option('--kv-replay-port <port>', 'send events that were missed again; 0 takes a free port')
    .option('--faults <json>', `faults from the start, as POST /simulator/faults takes them: ${FAULTS_HELP}`)
    .action(async (values: Record<string, unknown>) => {
      try {
        const server = await startModelServer(parseModelServerOptions(values));
        const { kvEvents } = server;
        const replay = kvEvents?.replayPort === undefined ? '' : `, replay on port ${kvEvents.replayPort}`;
        const events = kvEvents === undefined ? '' : `, KV events on port ${kvEvents.port}${replay}`;
        process.stdout.write(`model server on ${server.url}${events}\n`);
        for (const signal of ['SIGINT', 'SIGTERM'] as const) {
          process.once(signal, () => void server.close().then(() => process.exit(0)));
        }
      } catch (error) {
        fail(error, EXIT_USAGE);
      }
    });
}
