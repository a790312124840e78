import { createHash } from 'node:crypto';
import { requiredVersion } from './required-version';

/** The arguments of `go build` for the versions of `goMod`, without the output and the package. */
export function buildFlags(goMod: string): readonly string[] {
  const version = requiredVersion(goMod, 'k8s.io/kubernetes');
  const [major, minor] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const defines = Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-trimpath', '-ldflags', ['-s', '-w', ...defines].join(' ')];
}

/** Changes when a binary has to be built anew: `source` is that of a program which is no module's. */
export function buildStamp(goMod: string, source: string): string {
  return createHash('sha256')
    .update(JSON.stringify([goMod, buildFlags(goMod), source]))
    .digest('hex');
}
