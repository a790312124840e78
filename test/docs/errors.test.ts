import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envoyResourceFiles } from '../../lib/translate/envoy';
import { REFUSAL_NAMES, refuse } from '../../runtime/body-router/errors';

const page = readFileSync(join(__dirname, '../../docs/errors.md'), 'utf8');
const [fromRouter, fromEnvoy] = page.split('## From the router')[1]!.split('## From Envoy') as [string, string];
const rows = (section: string) =>
  [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, code, status]) => ({ code, status: status!.trim() }));

test('the page lists exactly the refusals of the router, with their status', () => {
  expect(rows(fromRouter)).toEqual(REFUSAL_NAMES.map((name) => ({ code: name, status: String(refuse(name).status) })));
});

test('the page lists exactly the codes that Envoy is configured to give', () => {
  const scheduler = { namespace: 'default', endpoints: [] };
  const files = envoyResourceFiles(
    {
      maxRequestBodyBytes: 1024,
      schedulers: [
        { ...scheduler, name: 'a', modelName: 'a' },
        { ...scheduler, name: 'b', modelName: 'b' },
      ],
    },
    {
      directory: '/d',
      listen: { host: '127.0.0.1', port: 0 },
      admin: { pipe: '/d/a' },
      processor: { pipe: '/d/p' },
    },
  );
  const codes = files.flatMap(({ content }) =>
    [...content.matchAll(/code\\*":\\*"(\w+)/g)].map((match) => match[1]!).filter((code) => !/^\d+$/.test(code)),
  );

  expect([...new Set(codes)].sort()).toEqual(
    rows(fromEnvoy)
      .map(({ code }) => code)
      .sort(),
  );
});
