import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'kubernetes.md'), 'utf8');

const inFolders = ['lib/translate/cluster', 'runtime/controller'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const sources = [...inFolders, 'lib/translate/compile-gateway-state.ts'];

/** What is written where a reason is given: a word in quotes, or a choice of some. */
const PLACES = /(?:\breason:|\bmissing\(|\btellOne\(\s*config,)\s*([^,;}]*)/g;

/** The reasons that a source can give. Those of definitions get `Crd` before them. */
function reasonsIn(path: string): string[] {
  const texts = [...readFileSync(join(ROOT, path), 'utf8').matchAll(PLACES)].map(([, text = '']) => text);
  const words = texts.flatMap((text) => [...text.matchAll(/'([A-Z][a-z]\w+)'/g)].map(([, word = '']) => word));
  return path.startsWith('runtime/controller/crds/') ? words.map(() => 'Crd…') : words;
}

const rows = [
  ...page
    .split('| reason | what to do |')[1]!
    .split('\n\n')[0]!
    .matchAll(/^\| (`.*?) \| (.*) \|$/gm),
];
const listed = rows.flatMap(([, names = '']) => [...names.matchAll(/`([\w…]+)`/g)].map(([, name = '']) => name));

test('the page has exactly the reasons that conditions and Events can have, each once', () => {
  expect([...listed].sort()).toEqual([...new Set(sources.flatMap(reasonsIn))].sort());
});

test('and says of each what to do', () => {
  for (const [, , advice] of rows) expect(advice).toMatch(/\w+/);
});
