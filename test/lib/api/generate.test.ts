import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { generatedFiles } from '../../../lib/api/generate';

const root = join(__dirname, '../../..');
const files = generatedFiles();

test.each(files)('$path is what the schemas generate (npm run generate)', ({ path, content }) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(content);
});

test('generating twice gives the same', () => {
  expect(generatedFiles()).toEqual(files);
});

test('the CRD file is one YAML document without aliases', () => {
  const content = files.find(({ path }) => path.endsWith('.yaml'))!.content;
  expect(parse(content)).toMatchObject({ kind: 'CustomResourceDefinition' });
  expect(content).not.toMatch(/[:-] [&*]\w/);
});
