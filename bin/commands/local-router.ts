import { Command, Option } from 'commander';
import { runLocalRouter } from '../../runtime/local/local-router';
import { createLogger, LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';

interface LocalRouterFlags {
  readonly socket: string;
  readonly picker: readonly string[];
  readonly logLevel: LogLevel;
  readonly record?: string;
  readonly recordLimit: number;
}

/** The router process of local mode; started by `local`, never by hand. */
export function localRouterCommand(): Command {
  return new Command('local-router')
    .description(
      'run the Body-Based Router, with the Endpoint Pickers or connected to them, under a supervising process',
    )
    .requiredOption('--socket <path>', 'Unix socket of the ext_proc server')
    .option('--picker <path...>', 'Unix socket of a picker process', [])
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('warn'))
    .option('--record <file>', 'record every decision to a file')
    .option('--record-limit <bytes>', 'bytes that the file may have', Number, 0)
    .action(({ socket, picker, logLevel, record, recordLimit }: LocalRouterFlags) => {
      runLocalRouter({
        socketPath: socket,
        pickerSockets: picker,
        ...(record !== undefined && { record: { path: record, limitBytes: recordLimit } }),
        log: createLogger('router', logLevel),
      });
    });
}
