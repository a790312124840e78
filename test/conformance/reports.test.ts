import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import releases from '../../config/crd/vendor/releases.json';
import { version } from '../../package.json';
import { conformanceOptions } from './options';
import { reportFile } from './report-file';

const FOLDER = join(__dirname, '..', '..', 'docs', 'conformance');

interface Report {
  readonly GatewayAPIInferenceExtensionVersion?: string;
  readonly gatewayAPIVersion: string;
  readonly mode: string;
  readonly implementation: { readonly version: string };
  readonly profiles: ReadonlyArray<{
    readonly name: string;
    readonly core: { readonly result: string; readonly statistics: Readonly<Record<string, number>> };
  }>;
}

const page = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
const report = (name: string) => parse(readFileSync(join(FOLDER, name), 'utf8')) as Report;

test('there is a report of each kind', () => {
  const kinds = [[], ['--picker', 'epp'], ['--suite', 'gateway-api']];

  expect(names.sort()).toEqual(kinds.map((args) => reportFile(conformanceOptions(args))).sort());
});

test.each(names)('%s tells of every test passed and none skipped, for what is shipped', (name) => {
  const { profiles, implementation, ...of } = report(name);

  const [profile] = profiles;
  expect(profiles).toHaveLength(1);
  expect(profile?.core).toEqual({
    result: 'success',
    statistics: { Failed: 0, Skipped: 0, Passed: profile?.name === 'Gateway' ? 14 : 37 },
  });
  expect(implementation.version).toBe(`v${version}`);
  expect(of.gatewayAPIVersion).toBe(releases['gateway-api']);
  expect(of.GatewayAPIInferenceExtensionVersion).toBe(
    profile?.name === 'Gateway' ? releases['inference-extension'] : undefined,
  );
});

test.each(names)('%s is in the table of contents', (name) => {
  const { mode, implementation, profiles, ...of } = report(name);
  const row = page.split('\n').find((line) => line.includes(`(./${name})`));

  const cells = row?.split('|').map((cell) => cell.trim());
  expect(cells?.slice(1, 5)).toEqual([
    of.GatewayAPIInferenceExtensionVersion ?? of.gatewayAPIVersion,
    profiles[0]?.name === 'Gateway' ? 'Gateway' : `${profiles[0]?.name}, core`,
    `[${implementation.version}](../../README.md)`,
    mode,
  ]);
});
