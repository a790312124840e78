import { Command } from 'commander';
import { localCommand } from './commands/local';
import { localRouterCommand } from './commands/local-router';
import { modelServerCommand } from './commands/model-server';
import { validateCommand } from './commands/validate';
import { fail } from './exit';

const program = new Command('inference-gateway')
  .description('Inference gateway for LLM serving: each request goes to the pod that answers it first.')
  .addCommand(localCommand())
  .addCommand(validateCommand())
  .addCommand(modelServerCommand())
  .addCommand(localRouterCommand(), { hidden: true });

program.parseAsync().catch(fail);
