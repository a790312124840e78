import pc from 'picocolors';

/** Exit codes: 1 the input has faults or a request failed, 2 the command was used wrongly or the machine lacks something. */
export const EXIT_FAULT = 1;
export const EXIT_USAGE = 2;

/** Says on standard error what does not end the process. */
export function warn(message: string): void {
  process.stderr.write(`${pc.yellow('warning:')} ${message}\n`);
}

/** Says in as few lines as the fault has what is wrong, and ends the process. */
export function fail(error: unknown, code: number = EXIT_FAULT): never {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${pc.red('error:')} ${message}\n`);
  process.exit(code);
}
