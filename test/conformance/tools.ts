import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMissing } from '../kubernetes/tools/make-missing';
import { runCommand } from '../kubernetes/tools/run-command';
import type { Tool } from '../kubernetes/tools/tool';

const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

/** Gateway API Inference Extension's suite, and Gateway API's: each a program by itself. */
export const INFERENCE_SUITE = 'inference-extension-conformance';
export const GATEWAY_SUITE = 'gateway-api-conformance';
/** What the suites' backends run. */
export const ECHO = 'echo-basic';
/** The endpoint picker of the Gateway API Inference Extension. */
export const EPP = 'inference-extension-epp';

const TOOLS: readonly Tool[] = [
  goTool(INFERENCE_SUITE, 'suite', ['test', '-c'], './inference-extension'),
  goTool(GATEWAY_SUITE, 'suite', ['test', '-c'], './gateway-api'),
  goTool(ECHO, 'suite', ['build'], 'sigs.k8s.io/gateway-api/conformance/echo-basic'),
  goTool(EPP, 'epp', ['build'], 'sigs.k8s.io/gateway-api-inference-extension/cmd/epp'),
];

/** Makes those of these tools that are missing or of another version. Rejects with a SetupError. */
export async function ensureConformanceTools(names: readonly string[], say: (line: string) => void): Promise<void> {
  await makeMissing(
    TOOLS.filter(({ name }) => names.includes(name)),
    'about 6 minutes',
    say,
  );
}

/** A package of the Go module in `folder`, or one that it requires. */
function goTool(name: string, folder: string, command: readonly string[], goPackage: string): Tool {
  const cwd = join(__dirname, folder);
  const sources = ['go.mod', ...(goPackage.startsWith('./') ? [join(goPackage, 'conformance_test.go')] : [])];
  const text = sources.map((file) => readFileSync(join(cwd, file), 'utf8'));
  return {
    name,
    stamp: createHash('sha256')
      .update(JSON.stringify([...command, ...FLAGS, goPackage, ...text]))
      .digest('hex'),
    async make(target) {
      await runCommand('go', [...command, ...FLAGS, '-o', target, goPackage], {
        cwd,
        env: { ...process.env, CGO_ENABLED: '0' },
      });
    },
  };
}
