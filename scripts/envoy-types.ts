/**
 * Generates the TypeScript types of Envoy's API and of Envoy Gateway's extension protocol: of the versions that Envoy
 * Gateway itself is built with (`envoy-types/go.mod`), so that nothing it sends is unknown. With `--check` compares
 * instead, and exits 1 when a file differs. Needs Go.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..');
const SOURCE = join(__dirname, 'envoy-types');
const TARGET = join(ROOT, 'runtime', 'envoy-api', 'generated');

const run = promisify(execFile);

async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  const folder = await mkdtemp(join(tmpdir(), 'envoy-types-'));
  try {
    const out = check ? join(folder, 'out') : TARGET;
    await rm(out, { recursive: true, force: true });
    await generate(folder, out);
    if (check) await compare(out);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function generate(folder: string, out: string): Promise<void> {
  const descriptors = join(folder, 'descriptors.binpb');
  const { stdout } = await run('go', ['run', '.'], { cwd: SOURCE, encoding: 'buffer', maxBuffer: 64 << 20 });
  await writeFile(descriptors, stdout);
  const template = await readFile(join(SOURCE, 'buf.gen.yaml'), 'utf8');
  const filled = join(folder, 'buf.gen.yaml');
  await writeFile(filled, template.replace('DESCRIPTORS', descriptors).replace('OUT', out));
  await run('buf', ['generate', '--template', filled], { cwd: folder });
  // The library has these.
  await rm(join(out, 'google', 'protobuf'), { recursive: true });
}

async function compare(wanted: string): Promise<void> {
  const [fresh, present] = await Promise.all([contents(wanted), contents(TARGET)]);
  for (const path of new Set([...fresh.keys(), ...present.keys()])) {
    if (fresh.get(path) === present.get(path)) continue;
    console.error(`${relative(ROOT, join(TARGET, path))} is not as generated: run npm run generate:envoy-types`);
    process.exitCode = 1;
  }
}

async function contents(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const)),
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
