import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import type { ListenAddress } from '../../runtime/ext-proc/listen';
import { followTlsFiles, type TlsFiles } from '../../runtime/picker-rpc/tls-files';
import { type PickerService, startPickerService } from '../../runtime/picker-service/picker-service';
import { EXIT_USAGE, fail } from '../exit';
import { parseListen, parseScheduler, parseSchedulerListen } from '../service/addresses';
import { listenFault, runService } from '../service/run-service';
import { addServiceFlags, each, type ServiceFlags } from '../service/service-flags';
import { SERVE_TLS, serveTlsPaths, tlsPaths } from '../service/tls-flags';
import { warnOfUnknown } from '../service/unknown-schedulers';

interface PickerFlags extends ServiceFlags {
  readonly listen: ListenAddress;
  readonly scheduler?: readonly string[];
  readonly extProc?: ReadonlyArray<ReturnType<typeof parseSchedulerListen>>;
}

/** Routers are told at once that it ends. Milliseconds. */
const NOTICE_MS = 0;

/** The Endpoint Pickers as a process of their own. */
export function pickerCommand(): Command {
  const command = new Command('picker')
    .description('run Endpoint Pickers, which routers ask for the endpoint of each request')
    .addOption(
      new Option('--listen <address>', 'where routers reach it: IP:PORT or unix:PATH')
        .argParser(parseListen)
        .default({ host: '0.0.0.0', port: 9005 }, '0.0.0.0:9005'),
    )
    .addOption(
      new Option('--scheduler <name>', 'NAMESPACE/NAME to pick for; may come several times (default: all)').argParser(
        each(parseScheduler),
      ),
    )
    .addOption(
      new Option(
        '--ext-proc <address>',
        'NAMESPACE/NAME=IP:PORT: serve the endpoint picker protocol of the Gateway API Inference Extension for this scheduler, to any gateway; may come several times',
      ).argParser(each(parseSchedulerListen)),
    );
  return addServiceFlags(command, hostname()).action(runPicker);
}

async function runPicker(flags: PickerFlags): Promise<void> {
  const paths = tlsPaths(flags, 'picker');
  const servePaths = serveTlsPaths(flags);
  const { extProc = [], scheduler: schedulers } = flags;
  if (extProc.length === 0 && servePaths !== undefined) {
    fail('--serve-tls-cert, --serve-tls-key and --serve-tls-ca are of --ext-proc; give that too', EXIT_USAGE);
  }
  const foreign = extProc.find(({ scheduler }) => schedulers !== undefined && !schedulers.includes(scheduler));
  if (foreign !== undefined) fail(`--ext-proc: ${foreign.scheduler} is not among those of --scheduler`, EXIT_USAGE);
  await runService({
    kind: 'picker',
    flags,
    needs: { pods: true, schedulers },
    noticeMs: NOTICE_MS,
    async start(state, { log, source }) {
      warnOfUnknown('--scheduler', schedulers ?? [], state, log);
      warnOfUnknown(
        '--ext-proc',
        extProc.map(({ scheduler }) => scheduler),
        state,
        log,
      );
      let service: PickerService | undefined;
      const tls: TlsFiles | undefined =
        paths === undefined
          ? undefined
          : await followTlsFiles(paths, { log, onChange: (next) => service?.setTls(next) });
      const served: TlsFiles | undefined =
        servePaths === undefined
          ? undefined
          : await followTlsFiles(servePaths, {
              flag: SERVE_TLS,
              log,
              onChange: (next) => service?.setExtProcTls(next),
            });
      service = await startPickerService({
        listen: flags.listen,
        extProc,
        ...(served && { extProcTls: served.current() }),
        ...(tls && { tls: tls.current() }),
        state,
        ...(schedulers && { schedulers }),
        replica: flags.name,
        source,
        log,
      }).catch((error: unknown) => {
        throw listenFault(extProc.length === 0 ? '--listen' : '--listen or --ext-proc', error);
      });
      // What was read while it started.
      if (tls !== undefined) service.setTls(tls.current());
      if (served !== undefined) service.setExtProcTls(served.current());
      return service;
    },
  });
}
