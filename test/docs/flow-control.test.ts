import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { authSchema } from '../../lib/api/inference-gateway-config/auth';
import { flowControlSchema } from '../../lib/api/inference-gateway-config/flow-control';
import { bandOf } from '../../runtime/endpoint-picker/admission/band';
import { HOLD_MS, MAX_TOKENS, STARVATION_RATIO } from '../../runtime/endpoint-picker/admission/flow-queue';
import { ROOM } from '../../runtime/endpoint-picker/admission/room';
import { QUANTUM_TOKENS } from '../../runtime/endpoint-picker/admission/tenant-turns';
import { runValidate } from '../../runtime/validate/run-validate';

const page = readFileSync(join(__dirname, '../../docs/flow-control.md'), 'utf8');
const [objects, auth] = [...page.matchAll(/```yaml\n([\s\S]+?)```/g)].map((match) => match[1]!) as [string, string];

test('the objects are valid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flow-control-'));
  try {
    writeFileSync(join(folder, 'gateway.yaml'), objects);
    expect((await runValidate([folder])).lines).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the flow control that is shown is the default but for Sheddable', () => {
  const [config] = objects.split('---').map((text) => parse(text));
  const shown = flowControlSchema.parse(config.spec.schedulers[0].flowControl);
  const { sheddable: _, ...bands } = shown.bands;
  const defaults = flowControlSchema.parse({});

  expect({ ...shown, bands: {} }).toEqual({ ...defaults, bands: {} });
  for (const band of Object.values(bands)) expect(band).toEqual({ ...defaults.bands.critical, maxBytes: '256Mi' });
});

test('the objectives are Critical and Sheddable', () => {
  const objectives = objects.split('---').slice(1);

  expect(objectives.map((text) => bandOf(parse(text).spec.priority))).toEqual(['critical', 'sheddable']);
});

test('the claims are valid', () => {
  expect(authSchema.parse(parse(auth).auth).jwt?.claims).toEqual({ objective: 'gateway.objective', tenant: 'org' });
});

test('the constants are those of the code', () => {
  expect(page).toContain(`less than ${STARVATION_RATIO} x \`h\` tokens`);
  expect(page).toContain(`The quantum is ${QUANTUM_TOKENS.toLocaleString('en')} tokens`);
  expect(page).toContain(`holds the others for ${HOLD_MS} ms only`);
  expect(page).toContain(`more than ${MAX_TOKENS.toLocaleString('en')} count`);
  for (const { startMs, kvShare } of Object.values(ROOM))
    expect(page).toContain(`| ${startMs} ms | ${100 * kvShare} % |`);
});
