import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const NAME = 'hyperpod-inference-gateway';

/**
 * The folder for what is fetched once and kept: `.cache` of the checkout that `moduleDir` lies in, where it survives
 * `npm ci`; for an installed package, which is replaced as a whole, the user's cache folder.
 */
export function cacheRoot(moduleDir: string, env: NodeJS.ProcessEnv): string {
  for (let dir = moduleDir; ; dir = dirname(dir)) {
    // The lock file is never published, so that it tells a checkout from a package.
    if (existsSync(join(dir, 'package.json'))) {
      if (existsSync(join(dir, 'package-lock.json'))) return join(dir, '.cache');
      break;
    }
    if (dir === dirname(dir)) break;
  }
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), NAME);
}
