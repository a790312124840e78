import { Command } from 'commander';
import pc from 'picocolors';
import { runValidate } from '../../runtime/validate/run-validate';
import { EXIT_FAULT, EXIT_USAGE, fail } from '../exit';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check objects and print every fault as "file:line path: message"')
    .requiredOption('-f, --file <path...>', 'file or folder of YAML')
    .action(async ({ file }: { file: string[] }) => {
      const result = await runValidate(file).catch((error: unknown) => fail(error, EXIT_USAGE));
      for (const line of result.lines) process.stdout.write(`${line}\n`);
      for (const line of result.warnings) process.stdout.write(`${pc.yellow('warning:')} ${line}\n`);
      if (result.faults > 0) process.exitCode = EXIT_FAULT;
      else
        process.stdout.write(
          `${pc.green('valid:')} ${result.objects} ${result.objects === 1 ? 'object' : 'objects'}\n`,
        );
    });
}
