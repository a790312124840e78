import { spawn } from 'node:child_process';
import { toolPath } from '../tools/tools-folder';

/** Runs kubectl; what it printed. Rejects with what it said. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Milliseconds. */
const LIMIT = 120_000;

export const kubectlOf =
  (kubeconfig: string): Kubectl =>
  (args, input) =>
    new Promise((resolve, reject) => {
      const child = spawn(toolPath('kubectl'), args, {
        env: { ...process.env, KUBECONFIG: kubeconfig, HOME: '/run' },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: LIMIT,
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve(stdout);
        else reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || `ended with ${code}`}`));
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
    });
