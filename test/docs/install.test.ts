import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const PAGES = ['README.md', 'docs/install.md', 'docs/kubernetes.md'];
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

const commands = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text),
).join('\n');

test('every file of the repository that a command names is there', () => {
  const named = [...commands.matchAll(/(?<![\w/])(?:charts|deploy|examples)\/[\w./-]+/g)].map(([path]) => path);

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const edits = [...new Set([...commands.matchAll(/^sed .*?(?= \|)/gm)].map(([command]) => command))];

test.each(edits)('with it the image comes from the registry everywhere: %s', (command) => {
  const env = { PATH: process.env.PATH, REGISTRY: 'registry.example.com/team' };
  const images = execFileSync('sh', ['-ec', command], { cwd: ROOT, env, encoding: 'utf8' })
    .split('\n')
    .filter((line) => /image[:=] ?\S*inference-gateway/.test(line));

  expect(images.length).toBeGreaterThan(0);
  for (const line of images) expect(line).toMatch(/image[:=] ?registry\.example\.com\/team\/inference-gateway:[\w.]+$/);
});

test('manifests and quickstart are edited', () => {
  expect(edits.map((command) => command.split(' ').at(-1)).sort()).toEqual([
    'deploy/manifests/install.yaml',
    'examples/kubernetes/quickstart.yaml',
  ]);
});

test('the policy allows what the controller asks of ACM, and nothing else', () => {
  const { Statement } = JSON.parse(read('examples/iam/import-certificates.json')) as {
    readonly Statement: readonly { readonly Action: string | readonly string[] }[];
  };
  const store = read('runtime/controller/certificates/acm-store.ts');
  const asked = [...store.matchAll(/acm\.(?:paginate(\w+)|(\w+)Command)\(/g)].map(([, list, one]) => list ?? one);

  expect(asked.length).toBeGreaterThan(3);
  // Tags that are given with a certificate are asked for apart.
  const wanted = new Set([...asked, 'AddTagsToCertificate'].map((action) => `acm:${action}`));
  expect(Statement.flatMap(({ Action }) => Action).sort()).toEqual([...wanted].sort());
});
