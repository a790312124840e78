import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainCommand } from '../../bin/commands/explain';
import { decisionLine } from '../../runtime/explain/decision-line';
import { decisionText } from '../../runtime/explain/decision-text';
import { recordedDecisions } from '../../runtime/explain/recorded-decision';
import { decisionAttributes, requestAttributes } from '../../runtime/telemetry/tracing-attributes';
import { explanation } from '../runtime/explain/fixtures';
import { picked, REQUEST } from '../runtime/recording/support';

const ROOT = join(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/explain.md'), 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!);

test('the header of docs/explain.md is what a decision of that form gives', () => {
  expect(blocks('text')[0]).toBe(`${decisionLine(explanation())}\n`);
});

test('the lines of a recording in docs/explain.md read as it says', () => {
  const [decision] = recordedDecisions(blocks('jsonl')[0]!.split('\n'));
  expect(decisionText(decision!, { bold: (text) => text, dim: (text) => text })).toBe(blocks('text')[1]);
});

test('docs/explain.md names every option of the command, and no other', () => {
  const named = [...page.matchAll(/^\| `--([\w-]+)[^|]*\|/gm)].map(([, name]) => name!);
  expect(named.sort()).toEqual(
    explainCommand()
      .options.map(({ long }) => long!.slice(2))
      .sort(),
  );
});

test('docs/explain.md names every variable of OpenTelemetry that is read', () => {
  const source = readFileSync(join(ROOT, 'runtime/telemetry/tracing-environment.ts'), 'utf8');
  const read = new Set([...source.matchAll(/'(OTEL_\w+)'/g)].map(([, name]) => name!));
  expect([...read].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('docs/explain.md names every attribute of the spans', () => {
  const full = explanation({ held: { ms: 10, band: 'critical' } });
  const attributes = [
    ...Object.keys(requestAttributes(REQUEST, 'a')),
    ...Object.keys(decisionAttributes({ ...picked(), explanation: full }, REQUEST)),
  ].map((name) => name.replace('inference_gateway.pick.', '').replace(/^(score|weight)\..*/, '$1.NAME'));
  expect(attributes.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('docs/explain.md names every reason for which a pod is left out', () => {
  const source = readFileSync(join(ROOT, 'runtime/endpoint-picker/scheduling/explanation.ts'), 'utf8');
  const reasons = [.../LeftOutReason = (.*?);/s.exec(source)![1]!.matchAll(/'([\w-]+)'/g)].map(([, reason]) => reason!);
  expect(reasons.length).toBeGreaterThan(1);
  expect(reasons.filter((reason) => !page.includes(`| \`${reason}\` |`))).toEqual([]);
});
