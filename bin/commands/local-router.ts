import { Command, Option } from 'commander';
import { runLocalRouter } from '../../runtime/local/local-router';
import { createLogger, LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';

/** The router process of local mode; started by `local`, never by hand. */
export function localRouterCommand(): Command {
  return new Command('local-router')
    .description('run the Body-Based Router and the Endpoint Pickers under a supervising process')
    .requiredOption('--socket <path>', 'Unix socket of the ext_proc server')
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('warn'))
    .action(async ({ socket, logLevel }: { socket: string; logLevel: LogLevel }) => {
      await runLocalRouter({ socketPath: socket, log: createLogger('router', logLevel) });
    });
}
