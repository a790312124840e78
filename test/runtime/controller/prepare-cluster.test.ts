import { pino } from 'pino';
import type { CrdBundle, ShippedCrd } from '../../../runtime/controller/crds/shipped-crd';
import { prepareCluster } from '../../../runtime/controller/prepare-cluster';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { CrdApi } from './crds/support/crd-api';
import { definition, published, shippedCrd } from './crds/support/definitions';
import { manualClock } from './support/manual-clock';

const SHIPPED = shippedCrd('gateway-api', 'v1.6.1', { annotations: published['gateway-api']('v1.6.1') });
const PLACE = { namespace: 'system', clusterDomain: 'cluster.local' };
const MANAGED: ReadonlySet<CrdBundle> = new Set(['gateway-api']);

function prepare(api: CrdApi, options: { envoyGateway?: typeof PLACE; managed?: typeof MANAGED } = {}) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const readCrds = jest.fn(async (): Promise<readonly ShippedCrd[]> => [SHIPPED]);
  const run = prepareCluster({
    readCrds,
    managedCrds: options.managed ?? MANAGED,
    envoyGateway: options.envoyGateway,
    own: PLACE,
    clock: manualClock(Date.parse('2030-01-01T00:00:00Z')),
    log,
  });
  return { lines, readCrds, run: () => run(api, new AbortController().signal) };
}

const secret = (api: CrdApi, name: string) => api.cluster.get(resourceOf('v1', 'Secret'), name, 'system');
const controlPlane = (api: CrdApi) => secret(api, 'envoy-gateway');

test('definitions are installed, and the certificates of an Envoy Gateway that came with the gateway made', async () => {
  const api = new CrdApi();
  const { lines, run } = prepare(api, { envoyGateway: PLACE });
  expect(await run()).toEqual({ problems: [], dueIn: 86_400_000 });
  expect(api.find('things.example.com')).toBeDefined();
  expect(controlPlane(api)).toBeDefined();
  await run();
  expect(lines).toEqual(['things.example.com created']);
});

test('what this build ships is read once', async () => {
  const { readCrds, run } = prepare(new CrdApi());
  await run();
  await run();
  expect(readCrds).toHaveBeenCalledTimes(1);
});

test('an Envoy Gateway of others has its own certificates', async () => {
  const api = new CrdApi();
  expect(await prepare(api).run()).toEqual({ problems: [], dueIn: 86_400_000 });
  expect(controlPlane(api)).toBeUndefined();
});

test('Envoy Gateway is told whom to trust where InferencePools are backends, before it can start', async () => {
  const api = new CrdApi();
  const order: string[] = [];
  const apply = api.apply.bind(api);
  api.apply = async (resource, object, options) => {
    if (resource.kind === 'Secret') order.push(object.metadata.name);
    return apply(resource, object, options);
  };
  await prepare(api, { envoyGateway: PLACE }).run();
  const text = (name: string, key: string) => {
    const data = secret(api, name)?.data as Readonly<Record<string, string>> | undefined;
    return Buffer.from(data?.[key] ?? '', 'base64').toString();
  };
  expect(text('inference-pools-ca', 'tls.crt')).toContain('BEGIN CERTIFICATE');
  for (const name of ['inference-pools-server', 'inference-pools-envoy-gateway', 'inference-pools-envoy']) {
    expect(text(name, 'ca.crt')).toBe(text('inference-pools-ca', 'tls.crt'));
  }
  expect(order.indexOf('inference-pools-ca')).toBeLessThan(order.indexOf('envoy-gateway'));
});

test('a refusal holds up every gateway, is told once, and is looked at again', async () => {
  const api = new CrdApi();
  api.install(definition({ annotations: published['gateway-api']('v2.0.0'), versions: ['v2'] }));
  const { lines, run } = prepare(api, { envoyGateway: PLACE });
  const problem = {
    condition: 'Accepted',
    reason: 'CrdVersionNotServed',
    message: expect.stringContaining('things.example.com does not serve v1'),
    blocks: true,
  };
  expect(await run()).toEqual({ problems: [problem], dueIn: 30_000 });
  await run();
  expect(lines).toHaveLength(1);
  // It is needed all the same.
  expect(controlPlane(api)).toBeDefined();
});

test('what stays as it is for a reason is told', async () => {
  const api = new CrdApi();
  api.install(definition({ annotations: published['gateway-api']('v1.7.0'), fields: ['color', 'new'] }));
  const { lines, run } = prepare(api);
  await run();
  expect(lines).toEqual(['things.example.com kept: newer']);
});
