import { Command } from 'commander';
import { SYSTEM_NAMESPACE } from '../../lib/charts/names';
import { runRender } from '../../runtime/render/run-render';
import { EXIT_FAULT, EXIT_USAGE, fail, warn } from '../exit';
import { addInstallationFlags, type InstallationFlags, installationOf } from '../service/installation-flags';

interface RenderFlags extends InstallationFlags {
  readonly file: string[];
  readonly systemNamespace: string;
}

export function renderCommand(): Command {
  const command = new Command('render')
    .description('print the Kubernetes objects that the controller makes of InferenceGatewayConfigs, as YAML')
    .requiredOption('-f, --file <path...>', 'file or folder of YAML')
    .option('--system-namespace <name>', 'namespace of the installation', SYSTEM_NAMESPACE);
  return addInstallationFlags(command).action(async (flags: RenderFlags) => {
    const installation = installationOf(flags, flags.systemNamespace);
    const rendered = await runRender(flags.file, installation).catch((error: unknown) => fail(error, EXIT_USAGE));
    const { yaml, faults, warnings } = rendered;
    for (const line of warnings) warn(line);
    if (faults.length > 0) fail(faults.join('\n'), EXIT_FAULT);
    process.stdout.write(yaml);
  });
}
