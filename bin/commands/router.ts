import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import type { ListenAddress } from '../../runtime/ext-proc/listen';
import type { PickerTarget } from '../../runtime/picker-rpc/connect/picker-address';
import { followTlsFiles, type TlsFiles } from '../../runtime/picker-rpc/tls-files';
import { connectPickers } from '../../runtime/picker-service/remote-pickers';
import { type ServiceTemplate, serviceTargets } from '../../runtime/picker-service/service-template';
import { type RouterService, startRouterService } from '../../runtime/router/router-service';
import { EXIT_USAGE, fail } from '../exit';
import { parseListen, parsePickerTarget, parseServiceTemplate } from '../service/addresses';
import { listenFault, runService } from '../service/run-service';
import { addServiceFlags, each, type ServiceFlags } from '../service/service-flags';
import { SERVE_TLS, serveTlsPaths, tlsPaths } from '../service/tls-flags';
import { warnOfUnknown } from '../service/unknown-schedulers';

interface RouterFlags extends ServiceFlags {
  readonly listen: ListenAddress;
  readonly picker?: readonly PickerTarget[];
  readonly pickerService?: ServiceTemplate;
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
    )
    .addOption(
      new Option(
        '--picker-service <template>',
        'where the pickers of each scheduler are reached, as schedulers come and go: HOST:PORT in which {name} and {namespace} are those of the scheduler, in place of --picker',
      ).argParser(parseServiceTemplate),
    );
  return addServiceFlags(command, hostname()).action(runRouter);
}

async function runRouter(flags: RouterFlags): Promise<void> {
  const paths = tlsPaths(flags, 'router');
  const servePaths = serveTlsPaths(flags);
  const { picker: fixed = [], pickerService: template } = flags;
  if (template !== undefined && fixed.length > 0) {
    fail('--picker and --picker-service both say where pickers are: give one of them', EXIT_USAGE);
  }
  const isApart = template !== undefined || fixed.length > 0;
  if (!isApart && paths !== undefined) {
    fail(
      '--tls-cert, --tls-key and --tls-ca are of connections to pickers; name those with --picker or --picker-service',
      EXIT_USAGE,
    );
  }
  await runService({
    kind: 'router',
    flags,
    needs: { pods: !isApart },
    noticeMs: NOTICE_MS,
    async start(state, { log, source }) {
      warnOfUnknown(
        '--picker',
        fixed.flatMap(({ scheduler }) => scheduler ?? []),
        state,
        log,
      );
      const tls = paths === undefined ? undefined : await followTlsFiles(paths, { log });
      let router: RouterService | undefined;
      const served: TlsFiles | undefined =
        servePaths === undefined
          ? undefined
          : await followTlsFiles(servePaths, { flag: SERVE_TLS, log, onChange: (next) => router?.setTls(next) });
      router = await startRouterService({
        listen: flags.listen,
        ...(served && { tls: served.current() }),
        state,
        ...(isApart && {
          connectPickers: (first, noAnswer) =>
            connectPickers(
              {
                targets: (of) => (template === undefined ? fixed : serviceTargets(template, of)),
                router: flags.name,
                log,
                ...(tls && { tls: tls.current }),
              },
              first,
              noAnswer,
            ),
        }),
        source,
        log,
      }).catch((error: unknown) => {
        throw listenFault('--listen', error);
      });
      // What was read while it started.
      if (served !== undefined) router.setTls(served.current());
      return { ...router, close: router.close };
    },
  });
}
