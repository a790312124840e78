import { type Command, Option } from 'commander';
import { ENVOY_GATEWAY_CONTROLLER } from '../../lib/translate/cluster/names';
import type { Installation } from '../../lib/translate/cluster/types';
import { version } from '../../package.json';

/** How the gateway was installed: the same for the controller and for those who ask what it would make. */
export interface InstallationFlags {
  readonly image: string;
  readonly imagePullPolicy: Installation['image']['pullPolicy'];
  readonly imagePullSecrets: readonly string[];
  readonly envoyImage?: string;
  readonly collectorImage?: string;
  readonly gatewayControllerName: string;
  readonly envoyNamespace?: string;
  readonly monitoringNamespace?: string;
  readonly ipFamily: NonNullable<Installation['ipFamily']>;
  readonly clusterDomain: string;
}

export function addInstallationFlags(command: Command): Command {
  return command
    .option('--image <reference>', 'image of routers and pickers', `inference-gateway:${version}`)
    .addOption(
      new Option('--image-pull-policy <policy>', 'of that image')
        .choices(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent'),
    )
    .addOption(
      new Option('--image-pull-secrets <names>', 'Secrets with which images are pulled, separated by commas')
        .argParser((text) => text.split(',').filter((name) => name !== ''))
        .default([], 'none'),
    )
    .option('--envoy-image <reference>', "image of the Envoys (default: Envoy Gateway's own choice)")
    .option('--collector-image <reference>', 'image of the OpenTelemetry collector beside routers and pickers')
    .option('--gateway-controller-name <name>', 'spec.controllerName of Envoy Gateway', ENVOY_GATEWAY_CONTROLLER)
    .option('--envoy-namespace <name>', 'where Envoy Gateway runs its Envoys (default: the system namespace)')
    .option('--monitoring-namespace <name>', 'whose pods may read metrics pages (default: those of all)')
    .addOption(
      new Option('--ip-family <family>', "addresses of the cluster's pods")
        .choices(['IPv4', 'IPv6', 'DualStack'])
        .default('IPv4'),
    )
    .option('--cluster-domain <name>', 'DNS domain of the cluster', 'cluster.local');
}

export function installationOf(flags: InstallationFlags, systemNamespace: string): Installation {
  const { envoyImage, collectorImage, monitoringNamespace } = flags;
  return {
    systemNamespace,
    envoyNamespace: flags.envoyNamespace ?? systemNamespace,
    gatewayControllerName: flags.gatewayControllerName,
    image: { reference: flags.image, pullPolicy: flags.imagePullPolicy, pullSecrets: flags.imagePullSecrets },
    clusterDomain: flags.clusterDomain,
    ipFamily: flags.ipFamily,
    ...(envoyImage !== undefined && { envoyImage }),
    ...(collectorImage !== undefined && { collectorImage }),
    ...(monitoringNamespace !== undefined && { monitoringNamespace }),
  };
}
