import { endpointSlices } from '../../../../../lib/translate/cluster/schedulers/endpoint-slices';
import { at, config, find, scheduler, translate } from '../support';

test('another port of the pods changes their EndpointSlices, and nothing by which the route finds them', () => {
  const [before, after] = [8000, 9000].map((targetPort) => {
    const subject = config([scheduler('llama', { targetPort })]);
    const translation = translate(subject);
    return {
      route: find(translation, 'HTTPRoute', 'llama'),
      port: at(find(translation, 'Service', 'llama-pool'), 'spec', 'ports', 0, 'port'),
      endpoints: at(endpointSlices(subject, subject.spec.schedulers[0]!, [], [], 'IPv4'), 0, 'ports', 0, 'port'),
    };
  });
  expect([before?.endpoints, after?.endpoints]).toEqual([8000, 9000]);
  expect(after?.route).toEqual(before?.route);
  expect(after?.port).toBe(before?.port);
  expect(at(after?.route, 'spec', 'rules', 0, 'backendRefs', 0, 'port')).toBe(after?.port);
});
