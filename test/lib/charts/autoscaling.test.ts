import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const FOLDER = 'deploy/autoscaling';
const files = readdirSync(join(ROOT, FOLDER));
const metricsPage = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8');

const SERIES = /\b(inference_[a-z_]+)\{(\w+)="[^"]*"\}/g;

test('there are examples', () => {
  expect(files.sort()).toEqual(['hpa.yaml', 'keda.yaml', 'prometheus-adapter-values.yaml']);
});

test.each(['keda.yaml', 'prometheus-adapter-values.yaml'])(
  '%s asks for metrics that there are, by their labels',
  (file) => {
    const found = [...readFileSync(join(ROOT, FOLDER, file), 'utf8').matchAll(SERIES)];

    expect(found.length).toBeGreaterThan(1);
    for (const [, name, label] of found) {
      const row = metricsPage.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
      expect({ name, row }).toMatchObject({ row: expect.stringContaining(`\`${label}\``) });
    }
  },
);

test('the autoscaler asks for what the adapter offers', () => {
  const adapter = readFileSync(join(ROOT, FOLDER, 'prometheus-adapter-values.yaml'), 'utf8');
  const offered = [...adapter.matchAll(/as: (\w+)/g)].map(([, name]) => name);
  const autoscaler = readFileSync(join(ROOT, FOLDER, 'hpa.yaml'), 'utf8');
  const asked = [...autoscaler.matchAll(/metric:\n\s+name: (\w+)/g)].map(([, name]) => name);

  expect(asked).toEqual(offered);
});
