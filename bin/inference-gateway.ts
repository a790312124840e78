import { Command } from 'commander';
import { version } from '../package.json';
import { controllerCommand } from './commands/controller';
import { explainCommand } from './commands/explain';
import { localCommand } from './commands/local';
import { localPickerCommand } from './commands/local-picker';
import { localRouterCommand } from './commands/local-router';
import { modelServerCommand } from './commands/model-server';
import { pickerCommand } from './commands/picker';
import { renderCommand } from './commands/render';
import { routerCommand } from './commands/router';
import { simulateCommand } from './commands/simulate';
import { simulateWorkerCommand } from './commands/simulate-worker';
import { tuneCommand } from './commands/tune';
import { validateCommand } from './commands/validate';
import { waitForCrdsCommand } from './commands/wait-for-crds';
import { EXIT_USAGE, fail } from './exit';

const program = new Command('inference-gateway')
  .description('Inference gateway for LLM serving: each request goes to the pod that answers it first.')
  .version(version)
  .addCommand(localCommand())
  .addCommand(validateCommand())
  .addCommand(renderCommand())
  .addCommand(routerCommand())
  .addCommand(pickerCommand())
  .addCommand(controllerCommand())
  .addCommand(waitForCrdsCommand())
  .addCommand(explainCommand())
  .addCommand(modelServerCommand())
  .addCommand(tuneCommand())
  .addCommand(simulateCommand())
  .addCommand(localRouterCommand(), { hidden: true })
  .addCommand(localPickerCommand(), { hidden: true })
  .addCommand(simulateWorkerCommand(), { hidden: true });

for (const command of [program, ...program.commands]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE));
}
program.parseAsync().catch(fail);
