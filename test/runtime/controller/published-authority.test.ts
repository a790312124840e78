import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench } from './support/bench';
import { gatewayConfig } from './support/objects';

const CONFIG_MAPS = resourceOf('v1', 'ConfigMap');
const ISSUED = { issuedAt: '2026-01-01T00:00:00Z' };

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
  bench.clientCertificate = { authority: 'PEM', issued: ISSUED };
  bench.start();
  await bench.settle();
});

afterEach(() => bench.close());

const published = () => bench.api.cluster.get(CONFIG_MAPS, 'gw-ca', 'team')?.data;

/** The config is looked at again. */
async function touch(): Promise<void> {
  bench.edit(bench.config(), ({ metadata }) => Object.assign(metadata as object, { annotations: { touched: 'yes' } }));
  await bench.settle();
}

test('stays published while the certificate is issued again', async () => {
  bench.clientCertificate = {};
  await touch();

  expect(published()).toEqual({ 'ca.crt': 'PEM' });
});

test('is not published any more where another issuer names none', async () => {
  bench.clientCertificate = { issued: ISSUED };
  await touch();

  expect(published()).toBeUndefined();
});
