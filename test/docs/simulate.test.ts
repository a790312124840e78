import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICIES } from '../../runtime/simulator/policies';
import { parseScenario } from '../../runtime/simulator/scenarios/scenario';

const page = readFileSync(join(__dirname, '../../docs/simulate.md'), 'utf8');

test('the scenario in docs/simulate.md is one', () => {
  const example = /```json\n(.*?)```/s.exec(page)![1]!;

  expect(parseScenario(JSON.parse(example)).name).toBe('my-fleet');
});

test('docs/simulate.md names every policy', () => {
  for (const name of Object.keys(POLICIES)) expect(page).toContain(`| \`${name}\` |`);
});
