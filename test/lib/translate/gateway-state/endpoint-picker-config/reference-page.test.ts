import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGINS } from '../../../../../lib/translate/gateway-state/endpoint-picker-config/plugins';
import { endpointPickerConfigPage } from '../../../../../lib/translate/gateway-state/endpoint-picker-config/reference-page';

const { path, content } = endpointPickerConfigPage();

test('the page in the repository is what the plugins generate (npm run generate)', () => {
  expect(readFileSync(join(__dirname, '../../../../..', path), 'utf8')).toBe(content);
});

test('every plugin has one row', () => {
  const plugins = content.slice(0, content.indexOf('## Parameters'));
  for (const type of PLUGINS.keys()) expect(plugins.split(`\n| \`${type}\` |`)).toHaveLength(2);
});
