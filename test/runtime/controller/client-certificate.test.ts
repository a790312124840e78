import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench } from './support/bench';
import { CERTIFICATES, sayOfCertificate, wantedNames } from './support/cert-manager';
import { judge } from './support/envoy-gateway';
import { refused } from './support/memory-api';
import { gatewayConfig } from './support/objects';

/* What is told of the certificate that clients see, and that cert-manager issues. */

const ISSUERS = resourceOf('cert-manager.io/v1', 'Issuer');
const FAILURE = 'The certificate request has failed to complete and will be retried: no quota';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

const programmed = () => bench.condition('GatewayProgrammed');

/** As cert-manager issues it for what is wanted now. */
async function issue(): Promise<void> {
  bench.clientCertificate = { issued: { dnsNames: wantedNames(bench.translation()) } };
  sayOfCertificate(bench, true);
  await bench.settle();
}

async function serve() {
  const controller = bench.start();
  await bench.settle();
  judge(bench);
  await issue();
  expect(programmed()).toMatchObject({ status: 'True', message: 'Envoys serve the configuration.' });
  return controller;
}

test('until it is issued the gateway is not programmed, and nobody is alarmed', async () => {
  bench.start();
  await bench.settle();
  judge(bench);
  sayOfCertificate(bench, false);
  await bench.settle();
  expect(programmed()).toMatchObject({ status: 'False', reason: 'CertificatePending' });
  expect(programmed()?.message).toContain('Certificate inference-system/gw-tls is not ready: not up to date');
  expect(bench.eventReasons()).not.toContain('CertificatePending');

  await issue();
  expect(programmed()).toMatchObject({ status: 'True' });
});

test('a renewal that fails is an Event and a warning, until it comes', async () => {
  await serve();
  sayOfCertificate(bench, true, FAILURE);
  await bench.settle();
  expect(programmed()).toMatchObject({
    status: 'True',
    message: expect.stringContaining(`Warning: Certificate inference-system/gw-tls: ${FAILURE}; see`),
  });
  expect(bench.eventReasons().filter((reason) => reason === 'CertificatePending')).toHaveLength(1);

  await issue();
  expect(programmed()?.message).toBe('Envoys serve the configuration.');
});

test('a name that clients are told is served once it is in the certificate, and not before', async () => {
  await serve();
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { tls: { dnsNames: ['llm.example.com'] } }));
  const early: unknown[] = [];
  await bench.clock.advance(10_000, () => {
    const { metadata, status } = bench.config();
    const isOfEdit = (status as { observedGeneration?: number }).observedGeneration === metadata.generation;
    if (isOfEdit && programmed()?.status === 'True') early.push(bench.clock.now());
  });
  expect(early).toEqual([]);
  expect(programmed()).toMatchObject({
    status: 'False',
    message: expect.stringMatching(/is not for llm\.example\.com; .* waits for cert-manager to take it/),
  });

  sayOfCertificate(bench, false, FAILURE);
  await bench.settle();
  expect(programmed()).toMatchObject({ status: 'False', message: expect.stringContaining(FAILURE) });
  expect(bench.eventReasons()).toContain('CertificatePending');

  await issue();
  expect(programmed()).toMatchObject({ status: 'True' });
});

test('what another issuer has not issued yet is a warning, from the edit on', async () => {
  const { blindTo } = await serve();
  blindTo('Certificate');
  const tls = { issuerRef: { name: 'corporate' } };
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { tls }));
  await bench.settle();

  expect(programmed()).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/Warning: Certificate inference-system\/gw-tls waits for cert-manager to take it/),
  });
  expect(bench.eventReasons()).not.toContain('CertificatePending');
});

test('a cert-manager that cannot be read is not called missing, and what it looks after stays', async () => {
  await serve();
  await bench.close();
  const issuers = () => bench.api.cluster.list(ISSUERS).map(({ metadata }) => metadata.name);
  expect(issuers()).toHaveLength(2);
  bench.api.mishap = ({ verb, resource }) =>
    verb === 'list' && resource === CERTIFICATES
      ? { when: 'before', error: refused(503, 'ServiceUnavailable', 'conversion webhook failed') }
      : undefined;
  bench.start('second');
  await bench.settle(60_000);
  bench.edit(bench.config(), ({ metadata }) => Object.assign(metadata as object, { annotations: { touched: 'yes' } }));
  await bench.settle();

  expect(bench.eventReasons()).toContain('NotReadable');
  expect(bench.eventReasons()).not.toContain('CertManagerMissing');
  expect(programmed()).toMatchObject({
    status: 'True',
    message: expect.stringMatching(
      /Warning: certificates\.cert-manager\.io cannot be read: .*conversion webhook failed/,
    ),
  });
  expect(issuers()).toHaveLength(2);

  bench.clientCertificate = {};
  bench.edit(bench.config(), ({ metadata }) =>
    Object.assign(metadata as object, { annotations: { touched: 'again' } }),
  );
  await bench.settle();
  expect(programmed()).toMatchObject({ status: 'False', reason: 'CertificatePending' });
  expect(programmed()?.message).toMatch(/Warning: certificates\.cert-manager\.io cannot be read/);
});
