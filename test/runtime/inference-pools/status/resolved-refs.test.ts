import { resolvedRefs } from '../../../../runtime/inference-pools/status/resolved-refs';
import { factsOf, PICKER, pool, service } from './support/objects';

const of = (endpointPickerRef: unknown, ...services: ReturnType<typeof service>[]) =>
  resolvedRefs(pool('llama', { endpointPickerRef }), factsOf(...services));

test.each([
  ['none is named', undefined, []],
  ['its Service is there', PICKER.endpointPickerRef, [service()]],
  ['all is said', { group: '', kind: 'Service', ...PICKER.endpointPickerRef }, [service()]],
  ['one of several ports is its', PICKER.endpointPickerRef, [service('epp', { ports: [{ port: 1 }, { port: 9002 }] })]],
  ['it is headless', PICKER.endpointPickerRef, [service('epp', { type: undefined, clusterIP: 'None' })]],
])('the picker is resolved where %s', (_, reference, services) => {
  expect(of(reference, ...services)).toMatchObject({ status: 'True', reason: 'ResolvedRefs' });
});

test.each([
  ['its kind is not Service', { ...PICKER.endpointPickerRef, kind: 'Deployment' }, 'Deployment cannot be'],
  ['it is of another group', { ...PICKER.endpointPickerRef, group: 'example.com' }, 'Service.example.com cannot be'],
  ['there is no Service', { ...PICKER.endpointPickerRef, name: 'gone' }, 'no Service gone in namespace team'],
  ['the Service is of another namespace', { ...PICKER.endpointPickerRef, name: 'far' }, 'no Service far in'],
  ['the Service is a name elsewhere', { ...PICKER.endpointPickerRef, name: 'external' }, 'is of type ExternalName'],
  ['the Service lacks the port', { name: 'epp', port: { number: 9003 } }, 'no TCP port 9003 (it has 9002)'],
  ['the port is not of TCP', { name: 'udp', port: { number: 9002 } }, 'no TCP port 9002 (it has none)'],
  ['no port is named', { name: 'epp' }, 'spec.endpointPickerRef.port.number is missing'],
])('it is not where %s, and the message says so', (_, reference, message) => {
  const services = [
    service(),
    service('external', { type: 'ExternalName', externalName: 'example.com' }),
    service('udp', { ports: [{ port: 9002, protocol: 'UDP' }] }),
    { ...service('far'), metadata: { name: 'far', namespace: 'other' } },
  ];

  const found = of(reference, ...services);

  expect(found).toMatchObject({ status: 'False', reason: 'InvalidExtensionRef' });
  expect(found.message).toContain(message);
  expect(found.message).toContain('spec.endpointPickerRef');
});

test('a Service of a thousand ports makes no endless message', () => {
  const ports = Array.from({ length: 1_000 }, (_, i) => ({ port: i + 1 }));

  expect(of(PICKER.endpointPickerRef, service('epp', { ports })).message.length).toBeLessThan(300);
});
