import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkCanBuild } from './check-machine';
import type { Tool } from './tool';
import { toolPath, toolsFolder } from './tools-folder';

/**
 * Makes those of the tools that are not there, or of another version; `say` gets a line for each, `takes` says how long all
 * of them take. Rejects with a SetupError that says what to install.
 */
export async function makeMissing(tools: readonly Tool[], takes: string, say: (line: string) => void): Promise<void> {
  const fresh = await Promise.all(tools.map(isFresh));
  const missing = tools.filter((_, index) => !fresh[index]);
  if (missing.length === 0) return;
  checkCanBuild();
  await mkdir(toolsFolder(), { recursive: true });
  say(`making ${missing.map(({ name }) => name).join(', ')}; all of them take ${takes} on two cores`);
  for (const tool of missing) await make(tool, say);
}

async function make(tool: Tool, say: (line: string) => void): Promise<void> {
  const start = Date.now();
  const fresh = `${toolPath(tool.name)}.${process.pid}`;
  await tool.make(fresh);
  await rm(toolPath(tool.name), { recursive: true, force: true });
  await rename(fresh, toolPath(tool.name));
  await writeFile(stampPath(tool), `${tool.stamp}\n`);
  say(`${tool.name}: ${Math.round((Date.now() - start) / 1000)} s`);
}

async function isFresh(tool: Tool): Promise<boolean> {
  if (!existsSync(toolPath(tool.name))) return false;
  const stamp = await readFile(stampPath(tool), 'utf8').catch(() => '');
  return stamp.trim() === tool.stamp;
}

const stampPath = ({ name }: Tool) => join(toolsFolder(), `.${name}.version`);
