import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runValidate } from '../../../runtime/validate/run-validate';

const CONFIG = `apiVersion: inference.sagemaker.aws.amazon.com/v1alpha1
kind: InferenceGatewayConfig
metadata:
  name: gateway
spec:
  bbr:
    enabled: true
  schedulers:
    - name: llama
      modelName: llama-8b
      modelSelector:
        matchLabels:
          app: llama
`;

let folder: string;
const file = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('valid objects are counted, those of other kinds are not', async () => {
  await writeFile(file('gateway.yaml'), `${CONFIG}---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n`);
  expect(await runValidate([folder])).toMatchObject({ lines: [], faults: 0, objects: 1 });
});

test('what a gateway would ignore is a warning, and no fault', async () => {
  await writeFile(file('gateway.yaml'), CONFIG);

  expect(await runValidate([folder])).toMatchObject({
    faults: 0,
    warnings: ['scheduler llama: its modelSelector selects no pod'],
  });
});

test('every fault of every file is a line, by file and line; a missing field is at its parent', async () => {
  await writeFile(
    file('b.yaml'),
    CONFIG.replace('enabled: true', 'replicas: 2').replace('llama-8b', '""').concat('      targetPort: 0\n'),
  );
  await writeFile(file('a.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nstatus:\n  podIP: nowhere\n');
  await writeFile(file('c.yaml'), 'a: [1\n');
  const { lines, faults } = await runValidate([folder]);
  expect(lines).toEqual([
    expect.stringContaining(`${file('a.yaml')}:6 status.podIP: must be an IPv4 or IPv6 address; got "nowhere"`),
    expect.stringContaining(`${file('b.yaml')}:6 spec.bbr.enabled: is required`),
    expect.stringContaining(`${file('b.yaml')}:10 spec.schedulers[0].modelName: must be`),
    expect.stringContaining(`${file('b.yaml')}:14 spec.schedulers[0].targetPort: must be`),
    expect.stringContaining(`${file('c.yaml')}:2: `),
  ]);
  expect(faults).toBe(5);
});

test('objects are checked against each other across files', async () => {
  await writeFile(file('a.yaml'), CONFIG);
  await writeFile(file('b.yaml'), CONFIG);
  expect((await runValidate([file('a.yaml'), file('b.yaml')])).lines).toEqual([
    `${file('b.yaml')}:4 metadata.name: InferenceGatewayConfig default/gateway is defined twice: remove or rename one`,
  ]);
});

test('files that hold nothing the gateway reads are a fault', async () => {
  await writeFile(file('other.yaml'), 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n');
  const { lines, faults } = await runValidate([folder]);
  expect(lines).toEqual([expect.stringMatching(/no object was found of a kind that the gateway reads: Inference/)]);
  expect(faults).toBe(1);
});

test('a path that is not there is an error', async () => {
  await expect(runValidate([file('missing.yaml')])).rejects.toThrow(/no such file/);
});
