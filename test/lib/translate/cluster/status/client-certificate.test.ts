import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import {
  certificateFinding,
  clientCertificateFacts,
  issuanceFailure,
  issuancePending,
} from '../../../../../lib/translate/cluster/status/client-certificate';
import { config, type Fields, find, scheduler, translate } from '../support';

const NOW = '2026-02-02T00:00:00Z';
const HOST = 'gateway-1.elb.amazonaws.com';
const CONFIG = config([scheduler('llama')], {
  tls: { issuerRef: { name: 'corporate' }, dnsNames: ['llm.example.com'] },
});
const TRANSLATION = translate(CONFIG, { loadBalancerHostname: HOST });
const OBJECT = CONFIG as unknown as KubernetesObject;
const WANTED = find(TRANSLATION, 'Certificate', 'gateway-tls');
const NAMES = (WANTED.spec as { dnsNames: string[] }).dnsNames;

const condition = (type: string, status: string, message: string, observedGeneration = 2) => ({
  type,
  status,
  message,
  observedGeneration,
});
const READY = condition('Ready', 'True', 'Certificate is up to date and has not expired');
const REISSUED = condition('Ready', 'False', 'Issuing certificate as Secret was previously issued by "Issuer.old"');
const REFUSED = condition(
  'Issuing',
  'False',
  'The certificate request has failed to complete and will be retried: elb.amazonaws.com is not allowed.',
);

/** As cert-manager has it, at generation 2. */
const requested = (conditions: readonly object[], status: Fields = { revision: 1 }): KubernetesObject => ({
  ...WANTED,
  metadata: { ...WANTED.metadata, generation: 2 },
  status: { notAfter: '2026-03-03T00:00:00Z', ...status, conditions },
});

function facts(seen: KubernetesObject | undefined, dnsNames: readonly string[] | undefined = NAMES) {
  const observed = { requested: seen, ...(dnsNames.length > 0 && { certificate: { dnsNames } }) };
  return clientCertificateFacts(OBJECT, TRANSLATION.objects, observed, NOW)!;
}

const texts = (problems: ReturnType<typeof issuancePending>) => problems.map(({ message }) => message);

test('one that is issued for all names is not spoken of', () => {
  const whole = facts(requested([READY]));
  expect(certificateFinding(whole)).toBeUndefined();
  expect(issuancePending(whole)).toEqual([]);
  expect(issuanceFailure(requested([READY, condition('Issuing', 'True', 'Renewing')]))).toEqual([]);
});

test('nobody is asked for one where the load balancer has its own', () => {
  const tls = { acmArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1' };
  const { objects } = translate(config([scheduler('llama')], { tls }));
  expect(clientCertificateFacts(OBJECT, objects, {}, NOW)).toBeUndefined();
});

describe('clients cannot verify the gateway', () => {
  const absent = condition('Ready', 'False', 'Issuing certificate as Secret does not exist');

  test('before anything is issued, and cert-manager’s words are told', () => {
    expect(certificateFinding(facts(requested([absent], {}), []))).toEqual({
      holds: false,
      reason: 'CertificatePending',
      message: expect.stringMatching(
        /has not been issued yet; Certificate system\/gateway-tls is not ready: Issuing certificate as Secret does not exist; if/,
      ),
    });
    expect(issuancePending(facts(requested([absent], {}), []))).toEqual([]);
  });

  test('by a name that it is not for, though the Certificate was ready as it was before', () => {
    const before = condition('Ready', 'True', 'up to date', 1);
    const others = NAMES.filter((name) => name !== HOST);
    expect(certificateFinding(facts(requested([before]), others))).toMatchObject({
      reason: 'CertificatePending',
      message: expect.stringMatching(
        `is not for ${HOST}; Certificate system/gateway-tls waits for cert-manager to take it; .*whether cert-manager runs`,
      ),
    });
    expect(certificateFinding(facts(undefined, others))?.holds).toBe(false);
    expect(certificateFinding(facts(requested([READY]), others))?.message).toContain(
      'Certificate system/gateway-tls is issued: see whether its issuer gives all names',
    );
  });

  test('by one that has ended', () => {
    const ended = requested([READY], { revision: 1, notAfter: NOW });
    expect(certificateFinding(facts(ended))?.message).toContain(`ended at ${NOW}`);
  });

  test('by one that was in the Secret before, and that cert-manager does not take', () => {
    expect(certificateFinding(facts(requested([REISSUED], {})))?.message).toContain('not the one that was asked for');
    // Made anew, and not looked at yet.
    expect(certificateFinding(facts(requested([], {})))).toBeUndefined();
  });
});

test('names are compared as clients do', () => {
  const issued = [...NAMES.filter((name) => !name.startsWith('llm')), '*.Example.com'];
  expect(certificateFinding(facts(requested([READY]), issued))).toBeUndefined();
  const deeper = NAMES.filter((name) => name !== HOST).concat('*.amazonaws.com');
  expect(certificateFinding(facts(requested([READY]), deeper))?.message).toContain(`is not for ${HOST};`);
});

describe('one that serves, and is to be replaced', () => {
  test('a renewal that fails is a warning with the words of the issuer', () => {
    const seen = requested([READY, REFUSED]);
    expect(issuanceFailure(seen)).toEqual([
      {
        condition: 'GatewayProgrammed',
        warns: true,
        reason: 'CertificatePending',
        message: expect.stringMatching(
          /^Certificate system\/gateway-tls: .*elb.amazonaws.com is not allowed; the one that is there ends at 2026-03-03T00:00:00Z; see/,
        ),
        blocks: false,
      },
    ]);
    expect(certificateFinding(facts(seen))).toBeUndefined();
    // Of a spec that it had before.
    expect(issuanceFailure(requested([READY, { ...REFUSED, observedGeneration: 1 }]))).toEqual([]);
  });

  test('one that was never there has no end', () => {
    expect(texts(issuanceFailure(requested([REFUSED], { notAfter: undefined })))[0]).not.toContain('ends at');
  });

  test('another issuer’s that does not come is waited for, and serves', () => {
    const seen = facts(requested([REISSUED]));
    expect(certificateFinding(seen)).toBeUndefined();
    expect(issuancePending(seen)).toMatchObject([{ condition: 'GatewayProgrammed', warns: true }]);
    expect(texts(issuancePending(seen))[0]).toContain('previously issued by "Issuer.old"');
    expect(texts(issuancePending(facts(requested([{ ...READY, observedGeneration: 1 }]))))[0]).toContain('waits for');
  });

  test('one that cannot be read is not spoken of', () => {
    expect(issuancePending(facts(undefined))).toEqual([]);
  });
});
