import type { InstallValues } from '../../../../lib/charts/generated/install-values';
import { completeValues } from '../../../../lib/charts/values/complete-values';

test('a field of an object is set by itself, a list as a whole', () => {
  const { controller } = completeValues({
    controller: { resources: { limits: { cpu: '2' } }, tolerations: [{ key: 'a' }] },
  });

  expect(controller.resources).toEqual({
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { cpu: '2', memory: '1Gi' },
  });
  expect(controller.tolerations).toEqual([{ key: 'a' }]);
  expect(controller.replicas).toBe(2);
});

test('an Envoy Gateway of the installation has no other namespace', () => {
  expect(() => completeValues({ envoyGateway: { namespace: 'other' } })).toThrow(
    'values.envoyGateway.namespace: only an Envoy Gateway that is there already has another namespace: set envoyGateway.enabled to false, or leave the namespace empty',
  );
});

test('an image has a name, and Secrets for pulling may have any that Kubernetes takes', () => {
  expect(() => completeValues({ image: { repository: '' } })).toThrow('values.image.repository:');
  expect(completeValues({ imagePullSecrets: ['ghcr.io'] }).imagePullSecrets).toEqual(['ghcr.io']);
});

test('every value that is wrong is named', () => {
  const wrong = { controller: { replicas: '2' }, image: { digest: 'latest' }, replicas: 2 };

  expect(() => completeValues(wrong as unknown as InstallValues)).toThrow(
    /values\.image\.digest: .*\nvalues\.controller\.replicas: .*\nvalues: Unrecognized key: "replicas"/s,
  );
});
