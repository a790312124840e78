import { join } from 'node:path';
import { cacheRoot } from '../../../runtime/local/cache-root';

/** Where the tools of this suite lie: built once for a checkout. */
export function toolsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheRoot(__dirname, env), 'kubernetes', 'bin');
}

/** The path of one tool: `kube-apiserver`, `kubectl`, … */
export function toolPath(name: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(toolsFolder(env), name);
}
