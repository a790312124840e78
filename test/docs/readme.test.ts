import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runValidate } from '../../runtime/validate/run-validate';

const ROOT = join(__dirname, '../..');
const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test.each(pages)('every link of %s leads to a file of the repository', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!);

  expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
});

/** As GitHub names a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test.each(pages)('every link of %s to a heading leads to one', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([^)\s]+)\)/g)];
  const lost = links.filter(([, file, anchor]) => {
    const text = read(file === undefined ? page : join(dirname(page), file));
    return ![...text.matchAll(/^#+ (.+)$/gm)].some(([, heading]) => anchorOf(heading!) === anchor);
  });

  expect(lost.map(([link]) => link)).toEqual([]);
});

test.each(pages)('every npm script that %s names exists', (page) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...read(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1]!);

  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('the request of the README is JSON for a model of the demo', () => {
  const body = /-d '(.+)'/.exec(read('README.md'))![1]!;

  expect(JSON.parse(body)).toMatchObject({ model: 'sql-helper', messages: [{ role: 'user' }] });
  expect(read('examples/local/gateway.yaml')).toContain('- sql-helper');
});

test('the objects of the examples are valid', async () => {
  expect((await runValidate([join(ROOT, 'examples/local')])).lines).toEqual([]);
});
