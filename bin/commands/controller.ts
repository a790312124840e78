import { randomUUID } from 'node:crypto';
import { constants, hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { SYSTEM_NAMESPACE } from '../../lib/charts/names';
import { PORTS } from '../../lib/translate/cluster/names';
import { version } from '../../package.json';
import type { Controller } from '../../runtime/controller/controller';
import type { CrdBundle } from '../../runtime/controller/crds/shipped-crd';
import { openAccess } from '../../runtime/kubernetes/access';
import { systemClock } from '../../runtime/kubernetes/clock';
import { createHttpApiClient } from '../../runtime/kubernetes/http-api-client';
import { createLogger, LOG_LEVELS, type LogLevel } from '../../runtime/telemetry/log';
import { startProbeServer } from '../../runtime/telemetry/probe-server';
import { EXIT_USAGE, fail } from '../exit';
import { type HostPort, parseHostPort } from '../service/addresses';
import { addInstallationFlags, type InstallationFlags, installationOf } from '../service/installation-flags';
import { listenFault } from '../service/run-service';

interface ControllerFlags extends InstallationFlags {
  readonly systemNamespace?: string;
  readonly name: string;
  readonly envoyGatewayCertificates?: true;
  readonly manageCrds: boolean;
  readonly kubeconfig?: string;
  readonly inferencePools?: HostPort;
  readonly metrics?: HostPort;
  readonly logLevel: LogLevel;
}

/** What is under way may take so long to end; a request that hangs is no reason to stay. Milliseconds. */
const CLOSE_MS = 10_000;

/** The controller of InferenceGatewayConfigs. */
export function controllerCommand(): Command {
  const command = new Command('controller')
    .description('run the controller, which makes of InferenceGatewayConfigs what runs them in a Kubernetes cluster')
    .option(
      '--system-namespace <name>',
      `namespace of the installation (default: that of the pod, ${SYSTEM_NAMESPACE})`,
    )
    .option('--name <name>', 'name of this pod: its replicas have others', hostname())
    .option(
      '--envoy-gateway-certificates',
      'Envoy Gateway came with this installation: make the certificates of its control plane, and keep its CustomResourceDefinitions up to date',
    )
    .addOption(
      new Option('--manage-crds <boolean>', 'keep the CustomResourceDefinitions of this installation up to date')
        .choices(['true', 'false'])
        .argParser((text) => text === 'true')
        .default(true),
    )
    .option('--kubeconfig <file>', "where the cluster is (default: KUBECONFIG, or the pod's service account)")
    .addOption(
      new Option(
        '--inference-pools <ip:port>',
        `where Envoy Gateway and its Envoys ask about InferencePools (default: 0.0.0.0:${PORTS.inferencePools}, or [::]:${PORTS.inferencePools} by --ip-family)`,
      ).argParser(parseHostPort),
    )
    .addOption(
      new Option(
        '--metrics <ip:port>',
        'where /metrics, /healthz and /readyz are served (default: 0.0.0.0:9090, or [::]:9090 by --ip-family)',
      ).argParser(parseHostPort),
    )
    .addOption(new Option('--log-level <level>').choices(LOG_LEVELS).default('info'));
  return addInstallationFlags(command).action(runController);
}

async function runController(flags: ControllerFlags): Promise<void> {
  const log = createLogger('controller', flags.logLevel);
  const closing = new AbortController();
  let controller: Controller | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (closing.signal.aborted) process.exit(128 + constants.signals[signal]);
      log.info('controller ends: it writes nothing new, and gives the lease back');
      closing.abort();
    });
  }
  const probes = await startProbeServer({
    ...(flags.metrics ?? anyAddress(flags, PORTS.metrics)),
    page: () => controller?.metricsPage(),
    ready: () => !closing.signal.aborted && controller?.isReady() === true,
  }).catch((error: unknown) => fail(listenFault('--metrics', error), EXIT_USAGE));

  const { systemNamespace = process.env.POD_NAMESPACE ?? SYSTEM_NAMESPACE } = flags;
  const installation = installationOf(flags, systemNamespace);
  const clock = systemClock;
  const random = Math.random;
  const access = await openAccess({
    clock,
    log,
    ...(flags.kubeconfig !== undefined && { kubeconfig: flags.kubeconfig }),
  }).catch((error: unknown) => fail(error, EXIT_USAGE));
  const connect = () =>
    createHttpApiClient({
      access,
      random,
      clock,
      userAgent: `inference-gateway-controller/${version}`,
      onWarning: (text) => log.warn(`the API server warns: ${text}`),
    });
  const [client, leaseClient] = [connect(), connect()];
  // Loaded here, for it is large and no other command needs it.
  const [
    { startController },
    { createGatewayCertificates },
    { acmStore },
    { prepareCluster },
    { readShippedCrds },
    { runInferencePools },
    { createPoolMetrics },
  ] = await Promise.all([
    import('../../runtime/controller/controller.js'),
    import('../../runtime/controller/certificates/create-gateway-certificates.js'),
    import('../../runtime/controller/certificates/acm-store.js'),
    import('../../runtime/controller/prepare-cluster.js'),
    import('../../runtime/controller/crds/read-shipped-crds.js'),
    import('../../runtime/inference-pools/run-inference-pools.js'),
    import('../../runtime/inference-pools/metrics.js'),
  ]);
  const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
  const store = region ? acmStore(region) : undefined;
  controller = startController({
    client,
    leaseClient,
    installation,
    identity: `${flags.name}_${randomUUID()}`,
    instance: flags.name,
    certificates: (fenced) => createGatewayCertificates({ client: fenced, installation, store, clock, random }),
    prepare: prepareCluster({
      readCrds: readShippedCrds,
      managedCrds: managedCrds(flags),
      envoyGateway: flags.envoyGatewayCertificates && {
        namespace: systemNamespace,
        clusterDomain: flags.clusterDomain,
      },
      own: { namespace: systemNamespace, clusterDomain: flags.clusterDomain },
      clock,
      log,
    }),
    clock,
    random,
    log,
    signal: closing.signal,
  });
  const pools = runInferencePools({
    ...{ client, installation, clock, random, log, signal: closing.signal },
    metrics: createPoolMetrics(controller.registry),
    listen: flags.inferencePools ?? anyAddress(flags, PORTS.inferencePools),
  }).catch((error: unknown) => fail(listenFault('--inference-pools', error), EXIT_USAGE));
  if (!closing.signal.aborted) await new Promise((resolve) => closing.signal.addEventListener('abort', resolve));
  await Promise.race([Promise.all([controller.done, pools]), sleep(CLOSE_MS)]);
  await Promise.all([client.close(), leaseClient.close()]);
  await probes.close();
  process.exit(0);
}

/** The definitions of an Envoy Gateway that was there before are its own. */
function managedCrds({ manageCrds, envoyGatewayCertificates }: ControllerFlags): ReadonlySet<CrdBundle> {
  if (!manageCrds) return new Set();
  const own: readonly CrdBundle[] = ['inference-extension', 'inference-gateway'];
  return new Set(envoyGatewayCertificates ? ['gateway-api', 'envoy-gateway', ...own] : own);
}

function anyAddress({ ipFamily }: ControllerFlags, port: number): HostPort {
  return { host: ipFamily === 'IPv4' ? '0.0.0.0' : '::', port };
}
