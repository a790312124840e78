import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CRD_NAMES } from '../../../../lib/charts/controller/crd-names';

const FOLDER = join(__dirname, '../../../../config/crd');

test('the controller may update every CRD of its image, and no other', () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => (parse(readFileSync(join(FOLDER, file), 'utf8')) as { metadata: { name: string } }).metadata.name);

  expect([...CRD_NAMES]).toEqual(names.sort());
});
