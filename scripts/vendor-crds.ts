/**
 * Copies the CustomResourceDefinitions of others from their Go modules to `config/crd/vendor`, as published. With
 * `--check` compares instead, and exits 1 when a file differs. Needs Go.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { VENDORED_BUNDLES, type VendoredBundle } from './vendor-crds/vendored-bundles';

const ROOT = join(__dirname, '..');
const VENDOR = join(ROOT, 'config/crd/vendor');
const TOOLS = join(ROOT, 'test/kubernetes/tools');

/** Content by path. */
type Files = ReadonlyMap<string, string>;

interface FetchedBundle extends VendoredBundle {
  readonly version: string;
  readonly crds: Files;
}

async function main(): Promise<void> {
  const goMod = await readFile(join(TOOLS, 'go.mod'), 'utf8');
  const bundles = await Promise.all(
    VENDORED_BUNDLES.map((bundle) => fetchBundle({ ...bundle, version: bundle.version ?? required(goMod, bundle) })),
  );
  const wanted = new Map([
    [join(VENDOR, 'releases.json'), releases(bundles)],
    [join(VENDOR, 'README.md'), notice(bundles)],
    ...bundles.flatMap(({ crds }) => [...crds]),
  ]);
  const present = await presentFiles();
  if (process.argv.includes('--check')) {
    for (const path of differing(wanted, present)) {
      console.error(`${relative(ROOT, path)} is not what is published: run npx tsx scripts/vendor-crds.ts`);
      process.exitCode = 1;
    }
    return;
  }
  for (const path of present.keys()) if (!wanted.has(path)) await rm(path);
  for (const [path, content] of wanted) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

function required(goMod: string, { module }: VendoredBundle): string {
  const version = goMod
    .split('\n')
    .find((line) => line.trim().startsWith(`${module} v`))
    ?.trim()
    .split(' ')[1];
  if (version === undefined) throw new Error(`go.mod of the tools does not require ${module}`);
  return version;
}

async function fetchBundle(bundle: VendoredBundle & { readonly version: string }): Promise<FetchedBundle> {
  const { stdout } = await promisify(execFile)(
    'go',
    ['mod', 'download', '-json', `${bundle.module}@${bundle.version}`],
    {
      cwd: TOOLS,
    },
  );
  const folder = join((JSON.parse(stdout) as { readonly Dir: string }).Dir, bundle.folder);
  const names = (await readdir(folder)).filter((name) => bundle.files.test(name)).sort();
  if (names.length === 0) throw new Error(`${bundle.module} ${bundle.version} has no such files in ${bundle.folder}`);
  const crds = await Promise.all(
    names.map(async (name) => [join(VENDOR, bundle.name, name), await readFile(join(folder, name), 'utf8')] as const),
  );
  return { ...bundle, crds: new Map(crds) };
}

/** Which release each bundle is, for the controller. */
function releases(bundles: readonly FetchedBundle[]): string {
  const current = bundles.filter(({ retired }) => !retired);
  return `${JSON.stringify(Object.fromEntries(current.map(({ name, version }) => [name, version])), null, 2)}\n`;
}

function notice(bundles: readonly FetchedBundle[]): string {
  const rows = bundles.map(
    ({ name, module, version, folder, copyright, retired }) =>
      `| \`${name}\`${retired ? ', kinds that its newest release no longer has' : ''} | \`${module}\` | ${version} | \`${folder}\` | Copyright ${copyright} |`,
  );
  return `# CustomResourceDefinitions of others

Copied unchanged from the Go modules named here by \`scripts/vendor-crds.ts\`. Do not edit.
They are under the Apache License 2.0, the text of which is in \`LICENSE\` at the root of this repository.

| folder | module | version | from | |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

async function presentFiles(): Promise<Files> {
  const entries = await readdir(VENDOR, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)));
}

function differing(wanted: Files, present: Files): string[] {
  const paths = new Set([...wanted.keys(), ...present.keys()]);
  return [...paths].filter((path) => wanted.get(path) !== present.get(path)).sort();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
