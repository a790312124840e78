import type { EnsuredCertificates } from '../../../runtime/controller/gateway-certificates';
import { Bench } from './support/bench';
import { gatewayConfig } from './support/objects';

test('a store of certificates that does not answer holds nothing of its gateway up', async () => {
  const bench = new Bench();
  const answer = Promise.withResolvers<EnsuredCertificates>();
  bench.importCertificate = () => answer.promise;
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle(10_000);

  const kinds = bench.made().map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['Gateway', 'HTTPRoute', 'Deployment', 'EndpointSlice']));
  answer.resolve({ problems: [] });
  await bench.close();
});
