import { generatedFiles } from '../../../lib/api/generate';
import { INFERENCE_GATEWAY_CONFIG_RULES } from '../../../lib/api/inference-gateway-config/rules';

const page = generatedFiles().find(({ path }) => path.endsWith('.md'))!.content;
const row = (field: string) => page.split('\n').find((line) => line.startsWith(`| \`${field}\``))!;

test('a field has its type, default, limits and meaning', () => {
  expect(row('maxRequestBodyBytes')).toBe(
    '| `maxRequestBodyBytes` | integer | `268435456` | from 1 to 268435456 | Largest request body, in bytes. A larger one is answered with 413. |',
  );
});

test.each(['profile', 'overload', 'explain', 'maxQueueTime'])('%s is marked as an extension', (field) => {
  expect(row(field)).toContain('**Extension.**');
});

test.each(['weights', 'bbr', 'routeTimeout'])('%s is not', (field) => {
  expect(row(field)).not.toContain('**Extension.**');
});

test('every rule is on the page', () => {
  for (const { message } of INFERENCE_GATEWAY_CONFIG_RULES) expect(page).toContain(message);
});

test('every link leads to a heading', () => {
  const anchors = new Set(
    [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !anchors.has(link!))).toEqual([]);
});

test('every row has as many cells as its table', () => {
  for (const block of page.split('\n\n').filter((part) => part.startsWith('|'))) {
    const widths = block
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replaceAll('\\|', '').split('|').length);
    expect(new Set(widths).size).toBe(1);
  }
});
