import type { InferenceGatewayConfig } from '../../../../lib/api/inference-gateway-config/inference-gateway-config';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { secretData, secretText } from '../../../../runtime/controller/certificates/authority-secret';
import { certificateFacts } from '../../../../runtime/controller/certificates/certificate-facts';
import { createGatewayCertificates } from '../../../../runtime/controller/certificates/create-gateway-certificates';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { manualClock } from '../support/manual-clock';
import { MemoryApi } from '../support/memory-api';
import { gateway, INSTALLATION } from './support/gateway';
import { authority, DAY, leaf, NOW } from './support/issuing';
import { MemoryStore } from './support/memory-store';

const SECRETS = resourceOf('v1', 'Secret');
const CONFIGS = resourceOf('inference.sagemaker.aws.amazon.com/v1alpha1', 'InferenceGatewayConfig');
const CERTIFICATES = resourceOf('cert-manager.io/v1', 'Certificate');
const ACM = 'arn:aws:acm:us-west-2:111122223333:certificate/own';
const signal = new AbortController().signal;

let api: MemoryApi;
let store: MemoryStore;
let clock: ReturnType<typeof manualClock>;
beforeEach(() => {
  api = new MemoryApi();
  store = new MemoryStore();
  clock = manualClock(NOW);
});

const certificates = (more: object = {}) =>
  createGatewayCertificates({ client: api, installation: INSTALLATION, store, clock, random: () => 0.5, ...more });
/** First what the controller makes, then what the load balancer needs. */
async function ensure(config: InferenceGatewayConfig) {
  const made = await certificates().ensure(config, signal);
  const imported = await certificates().importIssued(config, signal);
  const dueIn = Math.min(made.dueIn ?? DAY, imported.dueIn ?? DAY);
  return { ...imported, problems: [...made.problems, ...imported.problems], dueIn };
}
const read = (config: InferenceGatewayConfig) => certificates().read(config, signal);
const secret = (name: string) => api.cluster.get(SECRETS, name, 'system');

/** As the API server has it. */
function known(config: InferenceGatewayConfig): InferenceGatewayConfig {
  const { metadata } = api.cluster.put(CONFIGS, config as unknown as KubernetesObject);
  return { ...config, metadata } as InferenceGatewayConfig;
}

/** As cert-manager does. */
async function issue(dnsNames: readonly string[] = ['gw-envoy.system.svc']): Promise<KubernetesObject> {
  const by = await authority();
  const { certificate, key } = await leaf(by, { dnsNames, usages: ['server'] });
  return api.cluster.put(SECRETS, {
    metadata: { name: 'gw-tls', namespace: 'system', annotations: { 'cert-manager.io/certificate-name': 'gw-tls' } },
    type: 'kubernetes.io/tls',
    data: secretData({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': by.certificate }),
  });
}

test('what the controller makes itself is made, and looked at again within a day', async () => {
  expect(await ensure(gateway({ endpoint: { type: 'clusterIP' } }))).toEqual({ problems: [], dueIn: DAY });
  expect(['gw-envoy-cert', 'gw-bbr-cert'].every((name) => secret(name) !== undefined)).toBe(true);
  expect(api.cluster.get(SECRETS, 'gw-epp-cert', 'models')).toBeDefined();
  expect(secret('gw-tls')).toBeUndefined();
  expect(store.calls).toEqual([]);
});

describe('a certificate that is issued', () => {
  test('is imported when it is there, and its name is told', async () => {
    expect(await ensure(gateway())).toMatchObject({ problems: [], dueIn: 10_000 });
    expect(store.imported.size).toBe(0);
    const issued = await issue();
    await ensure(gateway());
    const [[arn, { material, tags }]] = [...store.imported] as [[string, { material: object; tags: object }]];
    expect(material).toEqual({
      certificate: secretText(issued, 'tls.crt'),
      key: secretText(issued, 'tls.key'),
      chain: secretText(issued, 'ca.crt'),
    });
    expect(tags).toEqual({
      CreatedBy: 'HyperPodInference',
      'inference.sagemaker.aws.amazon.com/gateway': 'models/gw',
      'inference.sagemaker.aws.amazon.com/uid': 'uid-1',
    });
    expect(await read(gateway())).toEqual({
      authority: secretText(issued, 'ca.crt'),
      issued: { acmArn: arn, issuedAt: '2030-01-01T00:00:00Z', dnsNames: ['gw-envoy.system.svc'] },
    });
    // What is cert-manager's is only read.
    expect(secret('gw-tls')?.metadata.resourceVersion).toBe(issued.metadata.resourceVersion);
  });

  test('is imported again under the same name when it has changed, and only then', async () => {
    await issue();
    await ensure(gateway());
    await ensure(gateway());
    expect(store.calls).toEqual(['find', 'import']);
    const issued = await issue(['gw-envoy.system.svc', 'lb.example.com']);
    await ensure(gateway());
    expect(store.calls).toEqual(['find', 'import', 'import']);
    expect([...store.imported.values()].map(({ material }) => material.certificate)).toEqual([
      secretText(issued, 'tls.crt'),
    ]);
  });

  test('keeps its name when the record of it is lost: by the status, else by its tags', async () => {
    await issue();
    await ensure(gateway());
    const [arn] = store.imported.keys();
    const forget = () => api.cluster.delete(SECRETS, 'gw-imported-certificate', 'system');
    forget();
    await ensure(gateway({}, { status: { tls: { acmArn: arn } } }));
    forget();
    await ensure(gateway());
    expect([...store.imported.keys()]).toEqual([arn]);
  });

  test('a name that somebody has put in the status is neither replaced nor deleted', async () => {
    const others = { material: { certificate: 'theirs', key: '' }, tags: { owner: 'them' } };
    store.imported.set(ACM, others);
    const claiming = { status: { tls: { acmArn: ACM } } };
    await issue();
    await ensure(gateway({}, claiming));
    expect(store.imported.size).toBe(2);
    await ensure(gateway({ endpoint: { type: 'clusterIP' } }, claiming));
    await ensure(gateway({ endpoint: { type: 'clusterIP' } }, claiming));
    await certificates().deleteImported(ACM, gateway(), signal);
    expect(store.imported.get(ACM)).toEqual(others);
  });

  test('is not imported where no load balancer needs it', async () => {
    await issue();
    await ensure(gateway({ endpoint: { type: 'clusterIP' } }));
    expect(store.calls).toEqual([]);
    expect(await read(gateway({ endpoint: { type: 'clusterIP' } }))).toMatchObject({
      issued: { issuedAt: expect.any(String) },
    });
  });

  test.each([
    ['alb', 'Denied', {}, /allow acm:ImportCertificate/],
    ['alb', 'Invalid', {}, /spec\.tls\.acmArn/],
    ['nlb', 'Denied', { warns: true }, /allow acm:ImportCertificate/],
  ] as const)('for %s, a refusal (%s) is told and tried again later', async (type, reason, weight, message) => {
    await issue();
    // Where one may not import, one may not look either.
    store.faults.push(reason, reason);
    const { problems, dueIn } = await ensure(gateway({ endpoint: { type } }));
    expect(problems).toEqual([
      {
        condition: 'GatewayProgrammed',
        ...weight,
        reason: 'CertificateNotImported',
        message: expect.stringMatching(message),
        blocks: false,
      },
    ]);
    expect(dueIn).toBe(60_000);
  });

  test('without a Region it is told, and only a load balancer that needs it misses it', async () => {
    const problems = async (type: string) =>
      (await certificates({ store: undefined }).importIssued(gateway({ endpoint: { type } }), signal)).problems;
    const told = { condition: 'GatewayProgrammed', reason: 'NoRegion' };
    const [ofAlb, ...others] = await problems('alb');
    expect([ofAlb, ...others]).toMatchObject([told]);
    expect(ofAlb).not.toHaveProperty('warns');
    expect(await problems('nlb')).toMatchObject([{ ...told, warns: true }]);
    expect(await problems('clusterIP')).toEqual([]);
  });
});

describe('from an issued certificate to one of ACM', () => {
  const own = () => known(gateway({ tls: { acmArn: ACM } }));

  test('the imported one is deleted once no load balancer shows it', async () => {
    await issue();
    await ensure(gateway());
    const [arn] = store.imported.keys();
    store.inUse.add(arn!);
    expect(await ensure(own())).toMatchObject({ problems: expect.any(Array), dueIn: 10_000 });
    // It must not be forgotten while it is there.
    expect(await read(own())).toEqual({ issued: { acmArn: arn } });
    store.inUse.clear();
    expect(await ensure(own())).toMatchObject({ deletedArn: arn });
    expect(store.imported.size).toBe(0);
    expect(await read(own())).toEqual({});
  });

  test('the imported one stays while a newer config may want it', async () => {
    await issue();
    await ensure(gateway());
    const former = own();
    known(gateway());
    expect(await ensure(former)).toEqual({ problems: [], dueIn: 5_000 });
    expect(store.imported.size).toBe(1);
    expect(await ensure(own())).toMatchObject({ deletedArn: expect.any(String) });
    expect(store.imported.size).toBe(0);
  });

  test('what is deleted does not come back by a status that still names it', async () => {
    await issue();
    await ensure(gateway());
    const [arn] = store.imported.keys();
    await ensure(own());
    const behind = { ...own(), status: { tls: { acmArn: arn } } } as InferenceGatewayConfig;
    for (let time = 0; time < 2; time++) expect(await ensure(behind)).toMatchObject({ problems: [], deletedArn: arn });
  });

  test('one that may not be deleted is told, and holds nothing up', async () => {
    await issue();
    await ensure(gateway());
    store.faults.push('Denied');
    expect((await ensure(own())).problems).toMatchObject([
      { warns: true, reason: 'CertificateNotDeleted', message: expect.stringContaining('allow acm:DeleteCertificate') },
    ]);
  });

  test('the Secret of cert-manager is taken over when it has no Certificate any more', async () => {
    const { data } = await issue();
    api.cluster.put(CERTIFICATES, { metadata: { name: 'gw-tls', namespace: 'system' }, spec: {} });
    await ensure(own());
    expect(secret('gw-tls')?.data).toEqual(data);
    api.cluster.delete(CERTIFICATES, 'gw-tls', 'system');
    await ensure(own());
    expect(certificateFacts(secretText(secret('gw-tls'), 'tls.crt'))?.dnsNames).toContain('gw-envoy.system');
    expect(secret('gw-tls')?.data).not.toEqual(data);
  });

  test('also where cert-manager has been removed altogether', async () => {
    await issue();
    api.cluster.serve(CERTIFICATES, false);
    await ensure(own());
    expect(secret('gw-tls')?.metadata.labels).toBeDefined();
  });

  test("the author's own certificate is never deleted", async () => {
    await ensure(gateway({ tls: { acmArn: ACM } }, { status: { tls: { acmArn: ACM } } }));
    expect(store.calls).toEqual([]);
  });
});

test("the record of a gateway of another namespace is not one's own", async () => {
  await issue();
  await ensure(gateway());
  const [arn] = store.imported.keys();
  const namesake = gateway({}, { metadata: { name: 'gw', namespace: 'others', uid: 'uid-2' } });
  expect((await read(namesake)).issued).not.toHaveProperty('acmArn');
  await certificates().deleteImported(arn!, namesake, signal);
  expect(store.imported.size).toBe(1);
});

test('an imported certificate is found by what the store says of it', async () => {
  expect(await certificates().findImported(gateway(), signal)).toBeUndefined();
  await issue();
  await ensure(gateway());
  const [arn] = store.imported.keys();
  expect(await certificates().findImported(gateway(), signal)).toBe(arn);
  store.faults.push('Denied');
  await expect(certificates().findImported(gateway(), signal)).rejects.toThrow('find: Denied');
  expect(await certificates({ store: undefined }).findImported(gateway(), signal)).toBeUndefined();
});

test('a gateway that is made again under the name imports anew what was deleted with the former', async () => {
  await issue();
  await ensure(gateway());
  const [former] = store.imported.keys();
  await certificates().deleteImported(former!, gateway(), signal);
  await ensure(gateway({}, { metadata: { name: 'gw', namespace: 'models', uid: 'uid-2' } }));
  expect(store.imported.size).toBe(1);
  expect(store.imported.has(former!)).toBe(false);
});

test('a deletion that cannot be done says why', async () => {
  store.imported.set(ACM, { material: { certificate: '', key: '' }, tags: {} });
  store.inUse.add(ACM);
  await expect(certificates().deleteImported(ACM, undefined, signal)).rejects.toThrow('in use');
  store.faults.push('Denied');
  await expect(certificates().deleteImported(ACM, undefined, signal)).rejects.toThrow(
    /allow acm:DeleteCertificate and .*, or leave the certificate in ACM: annotate/,
  );
  store.inUse.clear();
  await certificates().deleteImported(ACM, undefined, signal);
  expect(store.imported.size).toBe(0);
});
