import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** What the suite says to the picker, and hears of it. */
const OF_THE_SUITE = /test-epp-endpoint-selection|x-conformance-test/i;

/** What is installed, and what it is made of. */
const SHIPPED = ['bin', 'lib', 'runtime', 'charts', 'deploy', 'config'];

const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const naming = (files: readonly string[]) => files.filter((file) => OF_THE_SUITE.test(readFileSync(file, 'utf8')));

test('nothing that is shipped knows a header of the conformance suite', () => {
  const bundle = filesOf('dist');
  expect(bundle).toContain(join(ROOT, 'dist', 'inference-gateway.js'));
  expect(naming([...bundle, ...SHIPPED.flatMap(filesOf)])).toEqual([]);
});

test('the stand-in does, so that the look finds what it looks for', () => {
  expect(naming(filesOf('test/conformance/picker'))).toContain(join(__dirname, 'picker', 'steered-stream.ts'));
});
