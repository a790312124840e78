import { constants } from 'node:os';
import { Command, Option } from 'commander';
import { version } from '../../package.json';
import { readShippedCrds } from '../../runtime/controller/crds/read-shipped-crds';
import { waitForCrds } from '../../runtime/controller/crds/wait-for-crds';
import { openAccess } from '../../runtime/kubernetes/access';
import { systemClock } from '../../runtime/kubernetes/clock';
import { createServedResources } from '../../runtime/kubernetes/served-resources';
import { createLogger, LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';
import { EXIT_USAGE, fail } from '../exit';

interface WaitFlags {
  readonly kubeconfig?: string;
  readonly logLevel: LogLevel;
}

/** Holds a pod that needs the kinds of the gateway, as an init container. */
export function waitForCrdsCommand(): Command {
  return new Command('wait-for-crds')
    .description('wait until the cluster serves the kinds that the gateway uses, and end then')
    .option('--kubeconfig <file>', "where the cluster is (default: KUBECONFIG, or the pod's service account)")
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('info'))
    .action(runWait);
}

async function runWait({ kubeconfig, logLevel }: WaitFlags): Promise<void> {
  const log = createLogger('wait-for-crds', logLevel);
  const closing = new AbortController();
  let code = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      code = 128 + constants.signals[signal];
      if (closing.signal.aborted) process.exit(code);
      closing.abort();
    });
  }
  const clock = systemClock;
  const access = await openAccess({ clock, log, ...(kubeconfig !== undefined && { kubeconfig }) }).catch(
    (error: unknown) => fail(error, EXIT_USAGE),
  );
  const served = createServedResources({
    access,
    clock,
    random: Math.random,
    userAgent: `inference-gateway-wait/${version}`,
    onWarning: () => {},
  });
  await waitForCrds(await readShippedCrds(), { served, clock, log, signal: closing.signal }).catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });
  await served.close();
  process.exitCode = code;
}
