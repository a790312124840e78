import { version } from '../../package.json';
import { conformanceOptions } from './options';
import { reportFile } from './report-file';

test('without flags it is the suite of the Inference Extension, with the stand-in', () => {
  const options = conformanceOptions([]);

  expect(options).toMatchObject({ suite: 'inference-extension', picker: 'stand-in', runTest: undefined });
  expect(reportFile(options)).toBe(`v${version}-default-gateway-report.yaml`);
});

test.each([
  [['--picker', 'epp'], `v${version}-gie-epp-gateway-report.yaml`],
  [['--suite', 'gateway-api'], `v${version}-default-gateway-http-report.yaml`],
  [['--version', 'v9'], 'v9-default-gateway-report.yaml'],
])('%j has a report of its own', (args, name) => {
  expect(reportFile(conformanceOptions(args))).toBe(name);
});

test.each([
  [['--suite', 'mesh'], '--suite: "mesh" is none of inference-extension, gateway-api'],
  [['--picker', 'lwepp'], '--picker: "lwepp" is none of stand-in, epp'],
  [['--suite', 'gateway-api', '--picker', 'epp'], '--picker is of --suite inference-extension'],
  [['--fast'], '--fast'],
])('%j is refused', (args, message) => {
  expect(() => conformanceOptions(args)).toThrow(message);
});
