import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import type { ListenAddress } from '../../runtime/ext-proc/listen';
import type { PickerTarget } from '../../runtime/picker-rpc/connect/picker-address';
import { followTlsFiles } from '../../runtime/picker-rpc/tls-files';
import { connectPickers } from '../../runtime/picker-service/remote-pickers';
import { startRouterService } from '../../runtime/router/router-service';
import { EXIT_USAGE, fail } from '../exit';
import { parseListen, parsePickerTarget } from '../service/addresses';
import { listenFault, runService } from '../service/run-service';
import { addServiceFlags, each, type ServiceFlags, tlsPaths } from '../service/service-flags';
import { warnOfUnknown } from '../service/unknown-schedulers';

interface RouterFlags extends ServiceFlags {
  readonly listen: ListenAddress;
  readonly picker?: readonly PickerTarget[];
}

/**
 * Envoy learns late that a router is to be left (the endpoint's readiness, the control plane, its own update), and asks
 * it on: it listens for so long. Milliseconds.
 */
const NOTICE_MS = 5_000;

/** The Body-Based Router as a process of its own. */
export function routerCommand(): Command {
  const command = new Command('router')
    .description('run the Body-Based Router, which Envoy asks where each request goes')
    .addOption(
      new Option('--listen <address>', 'where Envoy reaches it (ext_proc): IP:PORT or unix:PATH')
        .argParser(parseListen)
        .default({ host: '0.0.0.0', port: 9004 }, '0.0.0.0:9004'),
    )
    .addOption(
      new Option(
        '--picker <address>',
        'where pickers are reached: [NAMESPACE/NAME=]HOST:PORT, each address of the host being a replica, or unix:PATH; may come several times (default: pickers in this process)',
      ).argParser(each(parsePickerTarget)),
    );
  return addServiceFlags(command, hostname()).action(runRouter);
}

async function runRouter(flags: RouterFlags): Promise<void> {
  const paths = tlsPaths(flags, 'router');
  const { picker: targets = [] } = flags;
  if (targets.length === 0 && paths !== undefined) {
    fail('--tls-cert, --tls-key and --tls-ca are of connections to pickers; name those with --picker', EXIT_USAGE);
  }
  await runService({
    kind: 'router',
    flags,
    noticeMs: NOTICE_MS,
    async start(state, log) {
      warnOfUnknown(
        '--picker',
        targets.flatMap(({ scheduler }) => scheduler ?? []),
        state,
        log,
      );
      const tls = paths === undefined ? undefined : await followTlsFiles(paths, { log });
      const router = await startRouterService({
        listen: flags.listen,
        state,
        ...(targets.length > 0 && {
          connectPickers: (first, noAnswer) =>
            connectPickers({ targets, router: flags.name, log, ...(tls && { tls: tls.current }) }, first, noAnswer),
        }),
        log,
      }).catch((error: unknown) => {
        throw listenFault('--listen', error);
      });
      return { ...router, close: (drainMs) => router.close(drainMs) };
    },
  });
}
