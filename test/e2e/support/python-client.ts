import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const REQUIREMENT = 'openai==3.57.0';
const ENVIRONMENTS = join(__dirname, '..', '..', '..', '.cache', 'python');

const execute = promisify(execFile);

/**
 * A Python interpreter that has the official client, in a virtual environment that is made on first use and kept.
 * Rejects with one line when there is no python3 or the package cannot be had.
 */
export async function pythonWithClient(): Promise<string> {
  const version = await python(['--version'], 'python3 is not on the PATH: install Python 3.9 or later');
  const key = createHash('sha256').update(`${REQUIREMENT} ${version}`).digest('hex').slice(0, 16);
  const home = join(ENVIRONMENTS, key);
  const interpreter = join('bin', 'python');
  if (existsSync(join(home, interpreter))) return join(home, interpreter);

  await mkdir(ENVIRONMENTS, { recursive: true });
  // Made beside its place and moved there whole: a run that is cut short leaves nothing that looks complete.
  const work = await mkdtemp(join(ENVIRONMENTS, '.making-'));
  try {
    await python(['-m', 'venv', work], 'python3 cannot make a virtual environment: install its venv module');
    await python(
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', REQUIREMENT],
      `${REQUIREMENT} cannot be installed: check the network and pip's settings`,
      join(work, interpreter),
    );
    await rename(work, home).catch((error: NodeJS.ErrnoException) => {
      // Another test process was faster.
      if (!existsSync(join(home, interpreter))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return join(home, interpreter);
}

async function python(args: readonly string[], hint: string, command = 'python3'): Promise<string> {
  try {
    return (await execute(command, args)).stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${hint} (${stderr.trim().split('\n').at(-1) || message})`, { cause: error });
  }
}
