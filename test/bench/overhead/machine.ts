import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

/** One line on where and with what a run is made. */
export function describeRun(envoyBinary: string, startedAt: Date): string {
  return [
    `${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `Envoy ${/\/(\d+\.\d+\.\d+)[/-]/.exec(output(envoyBinary, '--version'))?.[1] ?? 'unknown'}`,
    `commit ${commit()}`,
  ].join(' · ');
}

function commit(): string {
  try {
    const name = output('git', 'rev-parse', '--short', 'HEAD').trim();
    return output('git', 'status', '--porcelain') === '' ? name : `${name} with changes`;
  } catch {
    return 'none';
  }
}

/** Throws when the command fails. */
function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
