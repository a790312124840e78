import { failureProblem } from '../../../runtime/controller/write-failure';
import { ApiError } from '../../../runtime/kubernetes/api-error';

const object = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'team', labels: { 'inference.sagemaker.aws.amazon.com/scheduler': 'llama' } },
};

test.each([
  { code: 403, reason: 'Forbidden', advice: "give the controller's role the right to write Service objects" },
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
