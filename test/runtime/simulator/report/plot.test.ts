import { execFileSync } from 'node:child_process';
import { plotSvg, scenariosWithoutCurve } from '../../../../runtime/simulator/report/plot';
import { type ReportRow, reportRow } from '../../../../runtime/simulator/report/report-row';
import { figures, UNANSWERED } from './figures';

function row(scenario: string, policy: string, rate: number, p95: number | null): ReportRow {
  const runs = p95 === null ? [UNANSWERED, UNANSWERED] : [figures(p95), figures(p95 * 1.2)];
  return reportRow({ scenario, policy, rate }, { runs, roundRobin: runs, oracle: runs });
}

const ROWS = ['mixed-8b', 'burst-70b', 'lora'].flatMap((scenario) =>
  ['gateway', 'round-robin', 'oracle'].flatMap((policy, place) =>
    [6, 12, 24].map((rate) => row(scenario, policy, rate, (0.1 + place) * rate)),
  ),
);

/** Tags of an SVG file, as an XML parser sees it; throws when it is not well-formed. */
function parse(svg: string): { tag: string; text: string; attributes: Record<string, string> }[] {
  const program = [
    'import sys, json, xml.etree.ElementTree as tree',
    'root = tree.fromstring(sys.stdin.buffer.read())',
    'print(json.dumps([dict(tag=e.tag.split("}")[1], text=e.text or "", attributes=e.attrib) for e in root.iter()]))',
  ].join('\n');
  return JSON.parse(execFileSync('python3', ['-c', program], { input: svg, encoding: 'utf8' }));
}

test('the figure is well-formed XML that says what it shows', () => {
  const elements = parse(plotSvg(ROWS));
  expect(elements[0]).toMatchObject({ tag: 'svg', attributes: { role: 'img' } });
  const texts = elements.filter(({ tag }) => tag === 'text').map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([
      'Simulated: P95 time to first token over load',
      'mean of 2 seeds; whiskers: 95 % interval',
      'requests per second',
      'mixed-8b',
      'burst-70b',
      'lora',
      'gateway',
      'round-robin',
      '6',
      '12',
      '24',
      '10 s',
    ]),
  );
});

test('each policy has one line and one mark a rate in each panel', () => {
  const elements = parse(plotSvg(ROWS));
  const hints = elements.filter(({ tag }) => tag === 'title').map(({ text }) => text);
  expect(hints.filter((hint) => hint.startsWith('gateway, '))).toHaveLength(9);
  expect(hints).toContain('gateway, 12 req/s: 1.32 s ± 1.52 s');
});

test('all points lie inside their panel, whiskers included', () => {
  const marks = parse(plotSvg(ROWS)).filter(
    ({ attributes: { d, class: kind } }) => /^M[\d.]+ [\d.]+V/.test(d ?? '') && kind === undefined,
  );
  expect(marks).toHaveLength(27);
  for (const { attributes } of marks) {
    const [x, from, to] = attributes.d!.match(/-?[\d.]+/g)!.map(Number);
    expect(Math.min(x!, from!, to!)).toBeGreaterThanOrEqual(0);
    expect(Math.max(from!, to!)).toBeLessThanOrEqual(214);
  }
});

test('a rate at which nothing was answered is a gap in the line', () => {
  const rows = [6, 9, 12, 15].map((rate) => row('lora', 'gateway', rate, rate === 9 ? null : 1));
  const line = parse(plotSvg(rows)).find(({ attributes: { d } }) => d !== undefined && /M.*M.*L/.test(d));
  expect(line?.attributes['stroke-dasharray']).toBe('none');
});

test('where nothing was answered at all the panel says so', () => {
  const svg = plotSvg([row('lora', 'gateway', 6, null), row('lora', 'gateway', 9, null)]);
  expect(parse(svg).map(({ text }) => text)).toContain('no request was answered');
});

test('names cannot break the markup', () => {
  const svg = plotSvg([row('<a&"b>', '</svg>', 1, 1), row('<a&"b>', '</svg>', 2, 1)]);
  expect(parse(svg).map(({ text }) => text)).toEqual(expect.arrayContaining(['<a&"b>', '</svg>']));
});

test('it has colours for light and for dark', () => {
  expect(plotSvg(ROWS)).toContain('prefers-color-scheme:dark');
});

test('one rate makes no curve', () => {
  const rows = [
    row('lora', 'gateway', 6, 1),
    row('lora', 'oracle', 6, 1),
    ...ROWS.filter((of) => of.scenario !== 'lora'),
  ];
  expect(scenariosWithoutCurve(rows)).toEqual(['lora']);
});
