import { execFile } from 'node:child_process';
import { SetupError } from '../../../runtime/local/setup-error';

/** Runs a program to its end. Rejects with a SetupError of its last lines when it fails. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const tail = stderr.trim().split('\n').slice(-15).join('\n');
      reject(new SetupError(`${command} ${args.slice(0, 3).join(' ')} … failed: ${tail || error.message}`));
    });
  });
}
