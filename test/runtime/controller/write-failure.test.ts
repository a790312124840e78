import { failureProblem } from '../../../runtime/controller/write-failure';
import { ApiError } from '../../../runtime/kubernetes/api-error';

const object = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'team', labels: { 'inference.sagemaker.aws.amazon.com/scheduler': 'llama' } },
};

test.each([
  { code: 401, reason: 'Forbidden', advice: 'renew its token or kubeconfig' },
  { code: 404, reason: 'NotServed', advice: 'install what serves this kind, or make the namespace' },
  { code: 409, reason: 'Conflict', advice: 'somebody else writes the same object' },
  { code: 422, reason: 'Refused', advice: 'correct the field that it names' },
  { code: 500, reason: 'WriteFailed', advice: 'the controller tries again' },
  { code: 0, reason: 'WriteFailed', advice: 'the controller tries again' },
])('$code: what it is and what to do', ({ code, reason, advice }) => {
  const error = new ApiError({ code, reason: 'X', message: 'it says so.', request: 'PATCH' });

  const problem = failureProblem({ object, error });

  expect(problem).toMatchObject({ condition: 'Ready', scheduler: 'llama', reason, blocks: false });
  expect(problem.message).toContain('Service team/a: it says so; ');
  expect(problem.message).toContain(advice);
});

describe('403 by who says it', () => {
  const user = 'User "system:serviceaccount:s:c"';
  const rights = { reason: 'Forbidden', advice: "give the controller's role the right to write Service objects" };
  const policy = { reason: 'Refused', advice: 'admission policy of the cluster' };

  test.each([
    ['authorization', `services "a" is forbidden: ${user} cannot patch resource "services" in API group ""`, rights],
    [
      'rights that are given on',
      'roles.rbac.authorization.k8s.io "a" is forbidden: user "x" is attempting to grant RBAC permissions not currently held',
      rights,
    ],
    [
      'owners',
      'services "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on',
      rights,
    ],
    [
      'a webhook, whatever its text is',
      'admission webhook "v.gatekeeper.sh" denied the request: you cannot patch resource of others',
      policy,
    ],
    [
      'a policy',
      `services "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
      policy,
    ],
    [
      'a quota',
      'services "a" is forbidden: exceeded quota: compute, requested: count/services=1, used: 10, limited: 10',
      { reason: 'Refused', advice: 'raise the ResourceQuota' },
    ],
    [
      'Pod Security',
      'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
      { reason: 'Refused', advice: 'Pod Security level of the namespace' },
    ],
    [
      'a namespace that goes',
      'services "a" is forbidden: unable to create new content in namespace team because it is being terminated',
      { reason: 'NamespaceTerminating', advice: 'its namespace is being deleted' },
    ],
    ['somebody else', 'services "a" is forbidden: no', { reason: 'Refused', advice: 'a policy of the API server' }],
  ])('%s', (_, message, { reason, advice }) => {
    const problem = failureProblem({
      object,
      error: new ApiError({ code: 403, reason: 'Forbidden', message, request: 'PATCH' }),
    });
    expect(problem.reason).toBe(reason);
    expect(problem.message).toContain(advice);
  });
});
