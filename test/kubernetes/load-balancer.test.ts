import { X509Certificate } from 'node:crypto';
import type { EventsV1Event } from '@kubernetes/client-node';
import { type AwsServices, startAwsServices } from './support/aws/aws-services';
import { askModels, endpointGateway, NAMESPACE } from './support/aws/endpoint-gateway';
import { NLB_CLASS } from './support/aws/load-balancer-controller';
import { TARGET_GROUP_BINDINGS } from './support/aws/target-group-binding';
import { type Cluster, startCluster } from './support/cluster';
import { installCertManager } from './support/install-cert-manager';
import { installGateway, SYSTEM_NAMESPACE } from './support/install-gateway';
import { standardImages } from './support/standard-images';

/* The default way to a gateway: an internal Network Load Balancer, and a certificate that is issued, and imported into ACM. */

const ANNOTATION = 'service.beta.kubernetes.io/aws-load-balancer-';
const TLS = { dnsNames: ['llm.example.com'] };
const CERTIFICATE = `/apis/cert-manager.io/v1/namespaces/${SYSTEM_NAMESPACE}/certificates/edge-tls`;

let cluster: Cluster;
let aws: AwsServices;
let gateway: ReturnType<typeof endpointGateway>;

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages(), nodes: 2, otherLoadBalancerClass: NLB_CLASS });
  aws = await startAwsServices(cluster);
  await installGateway(cluster);
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  gateway = endpointGateway(cluster, 'edge');
}, 300_000);
afterAll(async () => {
  await aws?.close();
  await cluster?.close();
});

const hostname = async () => (await gateway.service()).status?.loadBalancer?.ingress?.[0]?.hostname;
const ask = async () => askModels((await hostname())!, await gateway.authority());
const imported = () => [...aws.acm.certificates.values()].map(({ certificate }) => new X509Certificate(certificate));
const namesOf = ({ subjectAltName = '' }: X509Certificate) => subjectAltName.split(', ').map((one) => one.slice(4));
const throttled = { status: 400, name: 'ThrottlingException' };

test('what is missing in the cluster is said, and the gateway goes on when it comes', async () => {
  await gateway.apply({ tls: TLS });
  const missing = { status: 'False', reason: 'CertManagerMissing' };
  const { message } = await gateway.untilSays('GatewayProgrammed', missing);
  expect(message).toMatch(
    /cert-manager is not installed.*install it.*Load Balancer Controller is not installed.*clusterIP/,
  );

  // Each request is tried three times by the SDK: it must be told to come again later by the controller too.
  aws.acm.failures.push(throttled, throttled, throttled, throttled);
  await installCertManager(cluster);
  await gateway.untilSays('GatewayProgrammed', { reason: 'LoadBalancerControllerMissing' });

  await cluster.apply(TARGET_GROUP_BINDINGS);
  await gateway.untilSays(
    'GatewayProgrammed',
    { status: 'False', reason: 'LoadBalancerPending' },
    /Service .*edge-envoy has no load balancer yet.*AWS Load Balancer Controller.*events/,
  );

  await aws.installLoadBalancerController();
  await gateway.untilSays('GatewayProgrammed', { status: 'True' });
}, 240_000);

test('the load balancer is internal, and passes TLS through for up to an hour of silence', async () => {
  const { metadata, spec } = await gateway.service();
  expect(spec).toMatchObject({ type: 'LoadBalancer', loadBalancerClass: NLB_CLASS });
  expect(metadata?.finalizers).toContain('service.k8s.aws/resources');
  expect(metadata?.annotations).toMatchObject({
    [`${ANNOTATION}scheme`]: 'internal',
    [`${ANNOTATION}nlb-target-type`]: 'ip',
    [`${ANNOTATION}listener-attributes.TCP-443`]: 'tcp.idle_timeout.seconds=3600',
  });
  expect(metadata?.annotations).not.toHaveProperty([`${ANNOTATION}ssl-cert`]);
});

test('clients reach it by the name of the load balancer with the published authority', async () => {
  const host = (await hostname())!;
  await cluster.until('the certificate has that name', async () => namesOf(imported()[0]!).includes(host));
  await cluster.until('it answers', async () => (await ask()).status === 200);
  const [certificate, ...others] = imported();
  expect(others).toEqual([]);
  expect((await ask()).shown).toBe(certificate!.fingerprint256);
  expect(namesOf(certificate!)).toEqual(
    expect.arrayContaining([host, 'llm.example.com', `edge-envoy.${SYSTEM_NAMESPACE}.svc`]),
  );
});

test('it is imported into ACM under one ARN, with tags, however often ACM had no time', async () => {
  const [arn] = aws.acm.certificates.keys();
  const { tags, type } = aws.acm.certificates.get(arn!)!;
  await cluster.until('the status has it', async () => (await gateway.status()).tls?.acmArn === arn);
  expect((await gateway.status()).tls?.dnsNames).toContain(await hostname());
  expect(type).toBe('IMPORTED');
  expect(tags).toEqual(
    expect.arrayContaining([
      { Key: 'CreatedBy', Value: 'HyperPodInference' },
      { Key: 'inference.sagemaker.aws.amazon.com/gateway', Value: `${NAMESPACE}/edge` },
    ]),
  );
  expect(aws.journal.filter((line) => line.endsWith(throttled.name))).toHaveLength(4);
});

test('a renewed certificate is shown to clients, and imported under the same ARN', async () => {
  const [arn] = aws.acm.certificates.keys();
  const before = (await ask()).shown;
  await renew();
  await cluster.until('clients see it', async () => (await ask()).shown !== before, { timeout: 60_000 });
  const { shown } = await ask();
  await cluster.until('it is imported', async () => imported()[0]!.fingerprint256 === shown);
  expect([...aws.acm.certificates.keys()]).toEqual([arn]);
}, 90_000);

test('where the role may not import it is said what to allow, and done once it is allowed', async () => {
  const [arn] = aws.acm.certificates.keys();
  const before = imported()[0]!.fingerprint256;
  aws.acm.denied.add('ImportCertificate');
  await renew();
  // A load balancer that passes TLS through does without.
  await gateway.untilSays('GatewayProgrammed', { status: 'True' }, /Warning: .*allow acm:ImportCertificate/);
  await cluster.until('an Event says it', async () => {
    const path = `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`;
    const { items } = await cluster.client.get<{ items: EventsV1Event[] }>(path);
    return items.some(({ reason, regarding }) => reason === 'CertificateNotImported' && regarding?.name === 'edge');
  });
  expect(imported()[0]!.fingerprint256).toBe(before);

  aws.acm.denied.clear();
  await cluster.until('it is imported', async () => imported()[0]!.fingerprint256 !== before, { timeout: 60_000 });
  await gateway.untilSays('GatewayProgrammed', { status: 'True' }, /^Envoys serve the configuration\.$/);
  expect([...aws.acm.certificates.keys()]).toEqual([arn]);
}, 150_000);

test('what an issuer does not issue is told in the words of cert-manager, and what it has issued serves on', async () => {
  const issuerRef = { name: 'nobody' };
  await gateway.apply({ tls: { ...TLS, issuerRef } });
  const warning = /Warning: .*edge-tls is not ready: .*(edge-ca|issuerRef)/;
  await gateway.untilSays('GatewayProgrammed', { status: 'True' }, warning);
  expect((await ask()).status).toBe(200);

  await gateway.apply({ tls: { dnsNames: [...TLS.dnsNames, 'other.example.com'], issuerRef } });
  const lacks = { status: 'False', reason: 'CertificatePending' };
  await gateway.untilSays('GatewayProgrammed', lacks, /is not for other\.example\.com; .*edge-tls is not ready: /);
  await gateway.apply({ tls: TLS });
  await gateway.untilSays('GatewayProgrammed', { status: 'True' }, /^Envoys serve the configuration\.$/);
}, 150_000);

test('without a load balancer nothing of it stays, in the cluster or in ACM', async () => {
  const from = aws.journal.length;
  const [arn] = aws.acm.certificates.keys();
  await gateway.apply({ endpoint: { type: 'clusterIP' }, tls: TLS });
  await gateway.untilSays('GatewayProgrammed', { status: 'True' });
  await cluster.until('ACM has none', () => aws.acm.certificates.size === 0, { timeout: 60_000 });
  await cluster.until('the Service is a plain one', async () => {
    const { spec, status, metadata } = await gateway.service();
    return spec?.type === 'ClusterIP' && !status?.loadBalancer?.ingress && !metadata?.finalizers?.length;
  });
  await cluster.until('the status names none', async () => (await gateway.status()).tls?.acmArn === undefined);
  expect(aws.journal.slice(from)).toEqual(
    expect.arrayContaining(['network edge-envoy is removed', `DeleteCertificate ${arn} ok`]),
  );
  expect((await askModels(`edge-envoy.${SYSTEM_NAMESPACE}.svc`, await gateway.authority())).status).toBe(200);
}, 120_000);

/** As cmctl does it. */
async function renew(): Promise<void> {
  interface Certificate {
    readonly metadata: { readonly generation: number };
    readonly status: { readonly conditions: ReadonlyArray<{ readonly type: string }> };
  }
  const { metadata, status } = await cluster.client.get<Certificate>(CERTIFICATE);
  const issuing = {
    ...{ type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: 'by hand' },
    ...{ lastTransitionTime: new Date().toISOString(), observedGeneration: metadata.generation },
  };
  const conditions = [...status.conditions.filter(({ type }) => type !== 'Issuing'), issuing];
  await cluster.client.merge(`${CERTIFICATE}/status`, { status: { conditions } });
}
