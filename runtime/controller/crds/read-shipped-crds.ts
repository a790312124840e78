import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import releases from '../../../config/crd/vendor/releases.json';
import { version } from '../../../package.json';
import { crdMarks } from './crd-marks';
import type { CustomResourceDefinition } from './custom-resource-definition';
import type { CrdBundle, ShippedCrd } from './shipped-crd';
import { CRD_USES } from './uses';

/** Beside the bundled command, a folder for each bundle; in a checkout they are where they are kept. */
const BUNDLED = join(__dirname, 'crd');
const CHECKOUT = join(__dirname, '../../../config/crd');

const RELEASES: Readonly<Record<CrdBundle, string>> = { ...releases, 'inference-gateway': `v${version}` };

/** In this order they are installed: what Envoy Gateway waits for comes first. */
const BUNDLES: readonly CrdBundle[] = ['gateway-api', 'envoy-gateway', 'inference-extension', 'inference-gateway'];

/** The CustomResourceDefinitions that come with this build. */
export async function readShippedCrds(): Promise<ShippedCrd[]> {
  const bundles = await Promise.all(BUNDLES.map(readBundle));
  return bundles.flat();
}

async function readBundle(bundle: CrdBundle): Promise<ShippedCrd[]> {
  const folder = folderOf(bundle);
  const names = (await readdir(folder)).filter((name) => /\.(json|yaml)$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const definition = (name.endsWith('.json') ? JSON.parse(text) : parse(text)) as CustomResourceDefinition;
      const use = CRD_USES[definition.metadata.name];
      // A kind that its bundle no longer has is of an earlier release.
      const release = crdMarks(definition, bundle).release ?? RELEASES[bundle];
      return { bundle, release, definition, ...(use !== undefined && { use }) };
    }),
  );
}

function folderOf(bundle: CrdBundle): string {
  if (existsSync(BUNDLED)) return join(BUNDLED, bundle);
  return bundle === 'inference-gateway' ? CHECKOUT : join(CHECKOUT, 'vendor', bundle);
}
