import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from '../../../lib/charts/generate';

const ROOT = join(__dirname, '../../..');
const files = chartFiles();

test.each(files)('$path is what the charts generate (npm run generate)', ({ path, content }) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(content);
});

test('generating twice gives the same', () => {
  expect(chartFiles()).toEqual(files);
});

test.each(['charts/inference-gateway', 'deploy/manifests'])('%s holds nothing that is not generated', (folder) => {
  const present = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  const generated = files.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));

  expect(present.sort()).toEqual(generated.sort());
});

// What Amazon EKS takes as an add-on, and what `helm template` can render without a cluster.
test.each(['helm.sh/hook', 'lookup', '.Capabilities', '.Release.Service', '.Release.IsInstall', 'randAlpha', 'genCA'])(
  'the Helm chart has no %s',
  (word) => {
    const found = files.filter(({ path, content }) => path.startsWith('charts/') && content.includes(word));

    expect(found.map(({ path }) => path)).toEqual([]);
  },
);

test('the Helm chart depends on no other, and its version is a plain one', () => {
  const chart = files.find(({ path }) => path.endsWith('Chart.yaml'))!.content;

  expect(chart).toMatch(/^apiVersion: v2$/m);
  expect(chart).toMatch(/^version: \d+\.\d+\.\d+$/m);
  expect(chart).not.toContain('dependencies');
});
