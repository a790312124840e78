import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { toolsFolder } from '../tools/tools-folder';
import type { Cluster } from './cluster';
import { ROOT } from './standard-images';

/** The `sh` blocks of one section of a page of the documentation. */
export async function documentedCommands(page: string, heading: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands!);
}

/** Runs commands as somebody types them who is in `folder` and uses this cluster; what they printed. */
export function typed(cluster: Cluster, folder: string, commands: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [toolsFolder(), process.env.PATH].join(delimiter),
    KUBECONFIG: cluster.kubeconfig,
    // Images here have none.
    REGISTRY: '',
    // Where helm and kubectl keep what they cache.
    HOME: '/run',
  };
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-ec', commands], { cwd: folder, env, timeout: 180_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${commands.trim()}: ${stderr.trim() || error.message}\nIt had printed:\n${stdout}`));
    });
  });
}
