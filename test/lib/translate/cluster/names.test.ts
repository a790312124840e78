import { gatewayNames, schedulerNames } from '../../../../lib/translate/cluster/names';
import { config, ofKind, scheduler, translate } from './support';

test('no two gateways share a name of one kind, whatever they are called', () => {
  const names = ['a', 'a-tls', 'a-ca', 'a-bbr', 'a-envoy', 'a-cert', 'a-bbr-cert', 'a-health'];
  const seen = new Set<string>();
  for (const name of names) {
    const translation = translate(config([scheduler(`model-of-${name}`)], {}, { name, namespace: `of-${name}` }));
    expect(translation.problems.filter(({ blocks }) => blocks)).toEqual([]);
    for (const { kind, metadata } of translation.objects) {
      if (metadata.namespace !== 'system') continue;
      const key = `${kind} ${metadata.name}`;
      expect(seen).not.toContain(key);
      seen.add(key);
    }
    for (const secret of ['certificate', 'authority', 'envoyCertificate', 'routerCertificate'] as const) {
      const key = `Secret ${gatewayNames({ metadata: { name, namespace: '' } })[secret]}`;
      expect(seen).not.toContain(key);
      seen.add(key);
    }
  }
});

test('a scheduler has the names of the contract', () => {
  const translation = translate(config([scheduler('llama')]));
  expect(ofKind(translation, 'InferencePool').map(({ metadata }) => metadata.name)).toEqual(['llama']);
  expect(ofKind(translation, 'HTTPRoute').map(({ metadata }) => metadata.name)).toEqual([
    'gateway-bbr',
    'gateway-health',
    'llama',
  ]);
  const [name] = translation.pickerDeployments.values();
  expect(name).toMatch(/^llama-epp-[0-9a-f]{10}$/);
  expect(schedulerNames({ name: 'llama' })).toEqual({ pool: 'llama', endpoints: 'llama-pool', picker: 'llama-epp' });
});
