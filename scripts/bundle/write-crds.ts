import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../..');
const CRDS = join(ROOT, 'config/crd');
const TARGET = join(ROOT, 'dist/crd');

/**
 * Writes the CustomResourceDefinitions beside the bundle as JSON, which the controller reads in a moment. A file that is
 * as it should be is not touched: something that runs may be reading it.
 */
export async function writeCrds(): Promise<void> {
  const vendored = await readdir(join(CRDS, 'vendor'), { withFileTypes: true });
  const folders = vendored.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const wanted = new Map([
    ...(await bundleFiles(CRDS, 'inference-gateway')),
    ...(await Promise.all(folders.map((name) => bundleFiles(join(CRDS, 'vendor', name), name)))).flat(),
  ]);
  for (const [path, content] of wanted) {
    if ((await readFile(join(TARGET, path), 'utf8').catch(() => undefined)) === content) continue;
    await mkdir(dirname(join(TARGET, path)), { recursive: true });
    await writeFile(join(TARGET, path), content);
  }
  for (const entry of await readdir(TARGET, { recursive: true, withFileTypes: true })) {
    const path = relative(TARGET, join(entry.parentPath, entry.name));
    if (entry.isFile() && !wanted.has(path)) await rm(join(TARGET, path));
  }
}

async function bundleFiles(folder: string, bundle: string): Promise<(readonly [path: string, content: string])[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  return Promise.all(
    files.map(async (file) => {
      const definition: unknown = parse(await readFile(join(folder, file), 'utf8'));
      return [join(bundle, file.replace(/\.yaml$/, '.json')), JSON.stringify(definition)] as const;
    }),
  );
}
