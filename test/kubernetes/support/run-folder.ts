import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_NAMESPACES } from './own-namespaces';

export interface RunFolder {
  /** In memory, gone with the run. */
  readonly data: string;
  /** A folder of the data, or a new one in `KUBERNETES_TEST_LOGS` where that is set, which stays. */
  readonly logs: string;
}

/** Throws outside of namespaces of its own. */
export async function makeRunFolder(env: NodeJS.ProcessEnv = process.env): Promise<RunFolder> {
  if (env[OWN_NAMESPACES] === undefined) {
    throw new Error('A test cluster takes over the network and /run. Start it with "npm run test:kubernetes".');
  }
  const data = await mkdtemp('/run/cluster-');
  const kept = env.KUBERNETES_TEST_LOGS;
  if (kept === undefined || kept === '') {
    await mkdir(join(data, 'logs'));
    return { data, logs: join(data, 'logs') };
  }
  await mkdir(kept, { recursive: true });
  return { data, logs: await mkdtemp(join(kept, 'cluster-')) };
}
