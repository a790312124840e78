import { Command, Option } from 'commander';
import { runLocalPicker } from '../../runtime/local/local-picker';
import { createLogger, LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';

interface LocalPickerFlags {
  readonly socket: string;
  readonly logLevel: LogLevel;
}

/** A picker process of local mode; started by `local`, never by hand. */
export function localPickerCommand(): Command {
  return new Command('local-picker')
    .description('run the Endpoint Pickers under a supervising process')
    .requiredOption('--socket <path>', 'Unix socket on which routers reach it')
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('warn'))
    .action(({ socket, logLevel }: LocalPickerFlags) => {
      runLocalPicker({ socketPath: socket, log: createLogger('picker', logLevel) });
    });
}
