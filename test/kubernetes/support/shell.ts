import { execFile } from 'node:child_process';

/** Runs a script that ends at its first failure; what it printed. Rejects with what it said. */
export function shell(script: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-ec', script, 'sh', ...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}
