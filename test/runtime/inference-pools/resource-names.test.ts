import fc from 'fast-check';
import { parseResource, pickerResource, poolResource } from '../../../runtime/inference-pools/resource-names';

test('a pool and a port of a picker have names of their own', () => {
  expect(poolResource({ namespace: 'models', name: 'llama' })).toBe('inference-pool/models/llama');
  expect(pickerResource('models', { name: 'epp', port: 9002 })).toBe('endpoint-picker/models/epp/9002');
});

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
const port = fc.integer({ min: 1, max: 65_535 });

test('what has been named is found again', () => {
  fc.assert(
    fc.property(label, label, port, (namespace, name, number) => {
      expect(parseResource(poolResource({ namespace, name }))).toEqual({ kind: 'pool', namespace, name });
      const found = parseResource(pickerResource(namespace, { name, port: number }));
      expect(found).toEqual({ kind: 'picker', namespace, name, port: number });
    }),
  );
});

test.each([
  '',
  'llama',
  'httproute/models/chat/rule/0',
  'inference-pool/models',
  'inference-pool/models/',
  'inference-pool//llama',
  'inference-pool/models/llama/8000',
  'endpoint-picker/models/epp',
  'endpoint-picker/models/epp/',
  'endpoint-picker/models/epp/grpc',
  'endpoint-picker/models/epp/0',
  'endpoint-picker/models/epp/-1',
  'endpoint-picker/models/epp/123456',
  'endpoint-picker/models/epp/9002/more',
])('%j is the name of nothing', (resource) => {
  expect(parseResource(resource)).toBeUndefined();
});
