import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { INFERENCE_GATEWAY_CONFIG_RULES } from '../../lib/api/inference-gateway-config/rules';
import { installCrds } from '../../runtime/controller/crds/install-crds';
import { readShippedCrds } from '../../runtime/controller/crds/read-shipped-crds';
import { systemClock } from '../../runtime/kubernetes/clock';
import { LIMIT_EXAMPLES } from '../lib/api/support/limit-examples';
import {
  accepted,
  configWithScheduler,
  gatewayConfig,
  type Json,
  refusals,
  scheduler,
} from '../lib/api/support/manifests';
import { RULE_EXAMPLES } from '../lib/api/support/rule-examples';
import { ApiRefusal, request } from './support/api/request';
import { connect } from './support/api-client';
import { type ControlPlane, startControlPlane } from './support/control-plane/control-plane';
import { setUpNetwork, tearDownNetwork } from './support/network';
import { makeRunFolder } from './support/run-folder';

const EXAMPLES = join(__dirname, '../../examples');
/** Of controllers that the examples are for, and that are not here. */
const ELSEWHERE =
  /^(argoproj\.io|kustomize\.|helm\.toolkit|source\.toolkit|kustomize\.toolkit|keda\.sh|cert-manager\.io)/;
/** Limits that the API server cannot state; the controller refuses them (condition Accepted). */
const NOT_STATED = ['band maxBytes beside all'];

let controlPlane: ControlPlane;

beforeAll(async () => {
  await setUpNetwork();
  const folder = await makeRunFolder();
  controlPlane = await startControlPlane(folder.data, folder.logs);
  const api = connect(controlPlane.access);
  const results = await installCrds(api, await readShippedCrds(), {
    fieldManager: 'test',
    managed: new Set(['gateway-api', 'envoy-gateway', 'inference-extension', 'inference-gateway']),
    timeoutMs: 30_000,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  await api.close();
  expect(results.filter(({ action }) => action !== 'created')).toEqual([]);
});
afterAll(async () => {
  await controlPlane?.close();
  await tearDownNetwork();
});

describe.each(INFERENCE_GATEWAY_CONFIG_RULES)('rule $name', ({ name, message, cel, extension }) => {
  const { broken, path } = RULE_EXAMPLES[name]!;

  if ('expression' in cel) {
    test('is refused with the field and what to do', async () => {
      const refusal = await refused(broken);
      expect(refusal).toContain(message);
      expect(
        fieldsOf(refusal).some(
          (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
        ),
      ).toBe(true);
    });
  } else if (extension) {
    test("is the controller's to refuse", async () => {
      await dryRun(broken);
      expect(refusals(broken)).toHaveLength(1);
    });
  } else {
    test('is refused by the keys of the list', async () => {
      expect(await refused(broken)).toMatch(/spec\.schedulers\[1\]: Duplicate value: .*"llama"/);
    });
  }
});

describe.each(LIMIT_EXAMPLES)('limit $name', ({ name, within, beyond, path }) => {
  test('what is within it is accepted', async () => {
    await dryRun(within);
  });

  test('what is beyond it is refused at the field', async () => {
    if (NOT_STATED.includes(name)) await dryRun(beyond);
    // A band has a rule of its own on the whole of its bands.
    else
      expect(fieldsOf(await refused(beyond)).some((field) => path === field || path.startsWith(`${field}.`))).toBe(
        true,
      );
  });
});

test.each([
  ['spec', gatewayConfig({ replicas: 2 }), 'spec.replicas'],
  ['a scheduler', configWithScheduler({ model: 'x' }), 'spec.schedulers[0].model'],
  ['the status', { ...gatewayConfig(), status: { phase: 'Ready' } }, 'status.phase'],
])('an unknown field of %s is refused by its path', async (_, object, path) => {
  expect(await refused(object)).toContain(`unknown field "${path}"`);
});

test('deep fields of pods are kept as they are', async () => {
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } };
  const stored = await dryRun(gatewayConfig({ podDefaults: { affinity, env: [{ name: 'A', valueFrom: { x: 1 } }] } }));
  expect(stored.spec.podDefaults).toEqual({ affinity, env: [{ name: 'A', valueFrom: { x: 1 } }] });
});

test.each<[string, Json]>([
  ['the smallest', gatewayConfig()],
  [
    'one with all objects that have defaults',
    gatewayConfig({
      bbr: { enabled: true, defaultBackend: { name: 'fallback' } },
      auth: {
        jwt: {
          provider: {
            name: 'oidc',
            issuer: 'https://issuer.example.com',
            remoteJWKS: { uri: 'https://issuer.example.com/keys' },
            requiredClaims: [{ name: 'team', values: ['a'] }],
          },
        },
      },
      tls: { issuerRef: { name: 'corporate' } },
      envoy: {},
      schedulers: [
        scheduler({ weights: { runningRequests: 2 }, flowControl: {}, retry: {} }),
        scheduler({ name: 'other', modelName: 'other', configMapRef: { name: 'plugins' } }),
      ],
    }),
  ],
])('the API server fills in the defaults of the schema: %s', async (_, config) => {
  expect((await dryRun(config)).spec).toEqual(accepted(config).spec);
});

describe.each(
  globSync('**/*.yaml', { cwd: EXAMPLES })
    .filter((file) => !file.endsWith('-values.yaml'))
    .sort(),
)('examples/%s', (file) => {
  test('is accepted', async () => {
    const documents = parseAllDocuments(await readFile(join(EXAMPLES, file), 'utf8'));
    const objects = documents.map((document) => document.toJS() as Manifest | null).filter((object) => object !== null);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      if (object.kind === 'Namespace') await ensureNamespace(object.metadata.name);
      else if (!isNotOfCluster(object, file)) await dryRun(object);
    }
  });
});

interface Manifest extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Also: a Pod for the local gateway says only where it is. */
function isNotOfCluster({ apiVersion, kind }: Manifest, file: string): boolean {
  return ELSEWHERE.test(apiVersion) || (kind === 'Pod' && file.startsWith('local/'));
}

/** What the API server would store. Rejects with what it says. */
async function dryRun(object: Json): Promise<{ readonly spec: Json }> {
  const { apiVersion, kind, metadata } = object as Manifest;
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = (await request(controlPlane.access, 'GET', group)) as {
    resources: readonly { readonly kind: string; readonly name: string; readonly namespaced: boolean }[];
  };
  const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'))!;
  const namespace = metadata.namespace ?? 'default';
  if (resource.namespaced) await ensureNamespace(namespace);
  const place = resource.namespaced ? `${group}/namespaces/${namespace}` : group;
  return (await request(controlPlane.access, 'POST', `${place}/${resource.name}?dryRun=All&fieldValidation=Strict`, {
    body: object,
  })) as { spec: Json };
}

async function refused(object: Json): Promise<string> {
  try {
    await dryRun(object);
  } catch (error) {
    if (error instanceof ApiRefusal && [400, 422].includes(error.code)) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

/** The fields that a refusal names. */
function fieldsOf(message: string): string[] {
  return [...message.matchAll(/(?:^|[\s[,"])((?:spec|status)(?:[.[][^\s:]*)?): /g)].map(([, field]) => field!);
}

async function ensureNamespace(name: string): Promise<void> {
  await request(controlPlane.access, 'POST', '/api/v1/namespaces', { body: { metadata: { name } } }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiRefusal) || error.code !== 409) throw error;
    },
  );
}
