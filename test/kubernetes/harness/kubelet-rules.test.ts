import type { V1PodSpec } from '@kubernetes/client-node';
import { quote } from '../support/kubelet/container/quote';
import { fieldValue, resourceValue } from '../support/kubelet/downward';
import { expand } from '../support/kubelet/expand';
import { findImage } from '../support/kubelet/images';
import { parseQuantity } from '../support/kubelet/quantity';
import { unsupportedFields } from '../support/kubelet/supported-fields';
import { buildFlags, buildStamp } from '../tools/build-flags';
import { requiredVersion } from '../tools/required-version';

test.each([
  ['$(A) $(B) $$(A) $', 'one $(B) $(A) $'],
  ['$$$(A)', '$one'],
  ['$(A', '$(A'],
])('%j expands to %j', (text, expanded) => {
  expect(expand(text, new Map([['A', 'one']]))).toBe(expanded);
});

test.each([
  ['500m', 0.5],
  ['1Gi', 2 ** 30],
  ['2', 2],
  ['1e3', 1000],
])('%s is %d', (quantity, number) => {
  expect(parseQuantity(quantity)).toBe(number);
});

test('a quantity of an unknown unit is refused', () => {
  expect(() => parseQuantity('1Qi')).toThrow('"1Qi" is no quantity');
});

test.each([
  ['inference-gateway', 'registry.example:5000/a/inference-gateway:1.2@sha256:abc'],
  ['envoyproxy/envoy', 'docker.io/envoyproxy/envoy:distroless-v1.39.1'],
  ['envoyproxy/envoy', 'envoyproxy/envoy'],
])('image %s is meant by %s', (name, reference) => {
  const images = { 'inference-gateway': { entrypoint: ['a'] }, 'envoyproxy/envoy': { entrypoint: ['b'] } };

  expect(findImage(images, reference)).toBe(images[name as keyof typeof images]);
});

test('a name with a tag means that tag alone, and wins over a longer one without', () => {
  const images = { a: { entrypoint: ['any'] }, 'b/a': { entrypoint: ['path'] }, 'a:2': { entrypoint: ['two'] } };

  expect(findImage(images, 'registry.example:5000/b/a:2@sha256:abc')).toBe(images['a:2']);
  expect(findImage(images, 'registry.example:5000/b/a:20')).toBe(images['b/a']);
  expect(findImage(images, 'registry.example:5000/c/a:20')).toBe(images.a);
});

test('an image is meant by whole parts of its path only', () => {
  expect(findImage({ envoy: { entrypoint: [] } }, 'example/not-envoy:1')).toBeUndefined();
});

test('requests and limits are told in the unit asked for, rounded up; without a limit, what the node has', () => {
  const resources = { limits: { cpu: '100m' }, requests: { memory: '1Mi' } };
  const pod = { spec: { containers: [{ name: 'a', resources }] } };
  const value = (resource: string, divisor = '0') => resourceValue(pod, 'a', { resource, divisor });

  expect(value('limits.cpu')).toBe('1');
  expect(value('limits.cpu', '1m')).toBe('100');
  expect(value('requests.memory', '1Ki')).toBe('1024');
  expect(value('limits.memory', '1Gi')).toBe('256');
});

test('labels are told one a line, quoted', () => {
  const pod = { metadata: { labels: { b: '2', a: '1' } } };

  expect(fieldValue(pod, 'metadata.labels', { podIp: '', hostIp: '' })).toBe('a="1"\nb="2"');
});

test('fields that a kubelet would act on and this one does not are named', () => {
  const spec = {
    containers: [
      {
        name: 'a',
        image: 'x',
        lifecycle: { preStop: { tcpSocket: { port: 1 } } },
        securityContext: { privileged: true },
      },
    ],
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    hostNetwork: true,
  } as unknown as V1PodSpec;

  expect([...unsupportedFields(spec)].sort()).toEqual([
    'spec.containers[0].lifecycle.preStop.tcpSocket',
    'spec.containers[0].securityContext.privileged: true (only false)',
    'spec.hostNetwork: true (only false)',
    'spec.volumes[0].persistentVolumeClaim',
  ]);
});

test('a quoted word is one word of a shell, whatever it holds', () => {
  expect(quote(`a'b $(c)`)).toBe(`'a'\\''b $(c)'`);
});

test('the tools are of the versions of go.mod, and another go.mod has them built anew', () => {
  const goMod = 'require (\n\tk8s.io/kubernetes v1.36.3\n)';

  expect(requiredVersion(goMod, 'k8s.io/kubernetes')).toBe('v1.36.3');
  expect(buildFlags(goMod).join(' ')).toContain('version.gitVersion=v1.36.3');
  expect(buildStamp(goMod, '')).not.toBe(buildStamp(`${goMod}\n`, ''));
  expect(() => requiredVersion('module tools', 'k8s.io/kubernetes')).toThrow(
    'tools/go.mod requires no k8s.io/kubernetes.',
  );
});
