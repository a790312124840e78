import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupError } from '../../../runtime/local/setup-error';

/** What a run needs beside Node, and how to come by it. */
const RUN_COMMANDS: readonly (readonly [command: string, hint: string])[] = [
  ['unshare', 'Install util-linux'],
  ['nsenter', 'Install util-linux'],
  ['setpriv', 'Install util-linux'],
  ['mount', 'Install mount (util-linux)'],
  ['chroot', 'Install coreutils'],
  ['ip', 'Install iproute2'],
];

/** Throws a SetupError where this machine cannot run the suite: it makes namespaces, as root on Linux. */
export function checkCanRun(): void {
  if (process.platform !== 'linux') throw new SetupError(`the suite runs on Linux only; this is ${process.platform}.`);
  if (process.getuid?.() !== 0) {
    throw new SetupError('the suite makes network and mount namespaces, which needs root. Run it as root.');
  }
  for (const [command, hint] of RUN_COMMANDS) need(command, hint);
}

/** Throws a SetupError where the tools cannot be built here. */
export function checkCanBuild(): void {
  need('go', 'Install Go 1.26.7 or later (https://go.dev/dl/)');
  need('python3', 'Install Python 3 with pip');
}

function need(command: string, hint: string): void {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (folders.some((folder) => isExecutable(join(folder, command)))) return;
  throw new SetupError(`${command} is not on the PATH. ${hint}, and run this again.`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
