import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const FOLDER = join(ROOT, 'runtime/inference-pools/status');
const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
const section = page.split('## What an InferencePool tells')[1]!.split('\n## ')[0]!;

test('the page has exactly the reasons that the status of a pool can have', () => {
  const sources = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  const given = sources.flatMap((text) => [...text.matchAll(/\breason: '(\w+)'/g)].map(([, reason]) => reason));
  const listed = [...section.matchAll(/(?:True|False|Unknown), `(\w+)`/g)].map(([, reason]) => reason);

  expect([...listed].sort()).toEqual([...new Set(given)].sort());
  expect(listed).toHaveLength(5);
});

test('and by whose name our entries are found', () => {
  expect(section).toContain('`inference.sagemaker.aws.amazon.com/inference-gateway-controller`');
});
