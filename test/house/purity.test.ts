import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** The folders whose functions depend on their arguments alone; imports are checked by dependency-cruiser. */
const PURE = [
  'lib/api',
  'lib/translate',
  ...['body', 'json', 'models', 'multipart', 'prefix', 'response'].map((folder) => `runtime/body-router/${folder}`),
  ...['admission', 'ledger', 'prefix', 'scheduling'].map((folder) => `runtime/endpoint-picker/${folder}`),
  ...['engine', 'fleet', 'policies', 'report', 'scenarios', 'workload'].map((folder) => `runtime/simulator/${folder}`),
  'runtime/inference-pools/xds',
];

const IMPURE =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.now|process\.|setTimeout|setInterval|setImmediate)\b/;

const files = PURE.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

test('there are pure files to check in every folder', () => {
  for (const folder of PURE) expect(files.some((file) => file.startsWith(`${folder}/`))).toBe(true);
});

test('pure folders take time and randomness as arguments', () => {
  const offenders = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .map((line, index) => `${file}:${index + 1}: ${line.trim()}`)
      .filter((line) => IMPURE.test(line) && !/: (\*|\/\/|\/\*)/.test(line)),
  );

  expect(offenders).toEqual([]);
});
