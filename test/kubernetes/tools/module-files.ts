import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requiredVersion } from './required-version';
import { runCommand } from './run-command';
import type { Tool } from './tool';

const ENVOY_GATEWAY = 'github.com/envoyproxy/gateway';
const CERT_MANAGER = 'github.com/cert-manager/cert-manager';

/** Folders of Go modules, for runs that have no Go. */
export const moduleFiles = (goMod: string): readonly Tool[] => [
  {
    name: 'gateway-helm',
    stamp: requiredVersion(goMod, ENVOY_GATEWAY),
    async make(target) {
      await copyFolder(ENVOY_GATEWAY, join('charts', 'gateway-helm'), target);
      await fillValues(target, requiredVersion(goMod, ENVOY_GATEWAY));
    },
  },
  {
    name: 'cert-manager-crds',
    stamp: requiredVersion(goMod, CERT_MANAGER),
    make: (target) => copyFolder(CERT_MANAGER, join('deploy', 'crds'), target),
  },
];

async function copyFolder(module: string, folder: string, target: string): Promise<void> {
  const source = (await runCommand('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: __dirname })).trim();
  await cp(join(source, folder), target, { recursive: true });
  // The files of a module are read-only.
  await runCommand('chmod', ['-R', 'u+w', target]);
}

/** Gives the chart the values that a release of this version has. */
async function fillValues(chart: string, version: string): Promise<void> {
  const template = await readFile(join(chart, 'values.tmpl.yaml'), 'utf8');
  const values = template
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the chart's own placeholder
    .replaceAll('${GatewayImage}', `docker.io/envoyproxy/gateway:${version}`)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the chart's own placeholder
    .replaceAll('${GatewayImagePullPolicy}', 'IfNotPresent');
  await writeFile(join(chart, 'values.yaml'), values);
}
