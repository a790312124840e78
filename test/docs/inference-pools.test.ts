import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { serverConfig } from '../../lib/charts/envoy-gateway/server-config';
import { completeValues } from '../../lib/charts/values/complete-values';
import { BODY_MODE_ANNOTATION } from '../../runtime/inference-pools/backend-pool';
import { ACTIVE_PORTS_ANNOTATION } from '../../runtime/inference-pools/discovery/pool-endpoints';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'inference-pools.md'), 'utf8');
const [objects = '', settings = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text);

test('the example is of the kinds that it is about', () => {
  const kinds = parseAllDocuments(objects).map((document) => (document.toJS() as { readonly kind: string }).kind);
  expect(kinds).toEqual(['Gateway', 'HTTPRoute', 'InferencePool', 'InferencePool']);
});

test('an Envoy Gateway that is there is set up as the one of the installation', () => {
  const { extensionManager } = parse(serverConfig('{}', 'inference-gateway', completeValues({}))) as {
    readonly extensionManager: { readonly service: { readonly tls: object } };
  };
  const { service, ...told } = (parse(settings) as { readonly extensionManager: typeof extensionManager })
    .extensionManager;
  const namespace = 'inference-gateway';
  const tls = Object.fromEntries(
    Object.entries(extensionManager.service.tls).map(([ref, { name }]) => [ref, { name, namespace }]),
  );
  expect({ ...told, service }).toEqual({ ...extensionManager, service: { ...extensionManager.service, tls } });
});

test('annotations are named as the code has them', () => {
  for (const annotation of [BODY_MODE_ANNOTATION, ACTIVE_PORTS_ANNOTATION]) expect(page).toContain(`\`${annotation}\``);
});
