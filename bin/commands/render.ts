import { Command } from 'commander';
import { version } from '../../package.json';
import { runRender } from '../../runtime/render/run-render';
import { EXIT_FAULT, EXIT_USAGE, fail, warn } from '../exit';

interface RenderFlags {
  readonly file: string[];
  readonly systemNamespace: string;
  readonly envoyNamespace?: string;
  readonly image: string;
  readonly clusterDomain: string;
}

/** Envoy Gateway's `spec.controllerName` unless its own configuration names another. */
const ENVOY_GATEWAY = 'gateway.envoyproxy.io/gatewayclass-controller';

export function renderCommand(): Command {
  return new Command('render')
    .description('print the Kubernetes objects that the controller makes of InferenceGatewayConfigs, as YAML')
    .requiredOption('-f, --file <path...>', 'file or folder of YAML')
    .option('--system-namespace <name>', 'namespace of the controller', 'hyperpod-inference-system')
    .option('--envoy-namespace <name>', 'namespace of the Envoys (default: that of the controller)')
    .option('--image <reference>', 'image of routers and pickers', `inference-gateway:${version}`)
    .option('--cluster-domain <name>', 'DNS domain of the cluster', 'cluster.local')
    .action(async (flags: RenderFlags) => {
      const { yaml, faults, warnings } = await runRender(flags.file, {
        systemNamespace: flags.systemNamespace,
        envoyNamespace: flags.envoyNamespace ?? flags.systemNamespace,
        gatewayControllerName: ENVOY_GATEWAY,
        image: { reference: flags.image, pullPolicy: 'IfNotPresent', pullSecrets: [] },
        clusterDomain: flags.clusterDomain,
      }).catch((error: unknown) => fail(error, EXIT_USAGE));
      for (const line of warnings) warn(line);
      if (faults.length > 0) fail(faults.join('\n'), EXIT_FAULT);
      process.stdout.write(yaml);
    });
}
