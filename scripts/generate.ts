import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GeneratedFile, generatedFiles } from '../lib/api/generate';
import { chartFiles } from '../lib/charts/generate';
import { endpointPickerConfigPage } from '../lib/translate/gateway-state/endpoint-picker-config/reference-page';

/** Writes the files that are derived from the schemas; with `--check` compares them, and exits 1 when one differs. */
const root = join(__dirname, '..');

async function write({ path, content }: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function differs({ path, content }: GeneratedFile): Promise<boolean> {
  const present = await readFile(join(root, path), 'utf8').catch(() => undefined);
  return present !== content;
}

async function main(): Promise<void> {
  const files = [...generatedFiles(), endpointPickerConfigPage(), ...chartFiles()];
  if (!process.argv.includes('--check')) {
    await Promise.all(files.map(write));
    return;
  }
  for (const file of files) {
    if (!(await differs(file))) continue;
    console.error(`${file.path} differs from the schemas: run npm run generate`);
    process.exitCode = 1;
  }
}

void main();
