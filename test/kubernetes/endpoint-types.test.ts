import { join } from 'node:path';
import type { V1Ingress, V1Secret } from '@kubernetes/client-node';
import { type AwsServices, startAwsServices } from './support/aws/aws-services';
import { askModels, endpointGateway, NAMESPACE } from './support/aws/endpoint-gateway';
import { type LoadBalancerController, NLB_CLASS } from './support/aws/load-balancer-controller';
import { type Cluster, startCluster } from './support/cluster';
import { installCertManager } from './support/install-cert-manager';
import { installGateway, SYSTEM_NAMESPACE } from './support/install-gateway';
import { selfSigned } from './support/self-signed';
import { standardImages } from './support/standard-images';

/* One gateway goes from one way to be reached to the next, until it is deleted; none leaves anything behind. */

const ALB = 'alb.ingress.kubernetes.io/';
const NLB = 'service.beta.kubernetes.io/aws-load-balancer-';
const INGRESS = `/apis/networking.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/ingresses/edge-envoy`;
const BINDINGS = `/apis/elbv2.k8s.aws/v1beta1/namespaces/${SYSTEM_NAMESPACE}/targetgroupbindings`;
const SECRETS = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets`;
const GIVEN = 'arn:aws:acm:us-west-2:111122223333:certificate/11111111-2222-3333-4444-555555555555';
const [FIRST, SECOND] = ['first', 'second'].map(
  (name) => `arn:aws:elasticloadbalancing:us-west-2:111122223333:targetgroup/${name}/0123456789abcdef`,
) as [string, string];

let cluster: Cluster;
let aws: AwsServices;
let loadBalancers: LoadBalancerController;
let gateway: ReturnType<typeof endpointGateway>;
/** PEM of the certificate that was in ACM before. */
let given: string;

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages(), nodes: 2, otherLoadBalancerClass: NLB_CLASS });
  aws = await startAwsServices(cluster);
  const { certificate, key } = await selfSigned(join(cluster.logs, 'given'), ['*.elb.test']);
  aws.acm.certificates.set(GIVEN, { certificate, key, chain: undefined, tags: [], type: 'AMAZON_ISSUED' });
  given = certificate;
  await installCertManager(cluster);
  loadBalancers = await aws.installLoadBalancerController();
  await installGateway(cluster);
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  gateway = endpointGateway(cluster, 'edge');
}, 300_000);
afterAll(async () => {
  await aws?.close();
  await cluster?.close();
});

const ingress = () => cluster.client.find<V1Ingress>(INGRESS);
const balancers = () => loadBalancers.balancers().map(({ name }) => name);
const answers = (ca: () => string | Promise<string>) =>
  cluster.until('the load balancer answers', async () => {
    const [balancer] = loadBalancers.balancers();
    return (await askModels(balancer!.hostname, await ca())).status === 200;
  });
const untilOnly = (...wanted: string[]) =>
  cluster.until(`load balancers: ${wanted}`, () => `${balancers()}` === `${wanted}`, { timeout: 60_000 });
const programmed = () => gateway.untilSays('GatewayProgrammed', { status: 'True' });

test('with acmArn it is an internal ALB, which waits for ten minutes, and speaks TLS with Envoy too', async () => {
  await gateway.apply({ tls: { acmArn: GIVEN } });
  await programmed();
  const { metadata, spec } = (await ingress())!;
  expect(spec?.ingressClassName).toBe('alb');
  expect(metadata?.finalizers).toContain('ingress.k8s.aws/resources');
  expect(metadata?.annotations).toMatchObject({
    [`${ALB}scheme`]: 'internal',
    [`${ALB}certificate-arn`]: GIVEN,
    [`${ALB}backend-protocol`]: 'HTTPS',
    [`${ALB}load-balancer-attributes`]: expect.stringMatching(/^idle_timeout\.timeout_seconds=(6\d\d|\d{4})$/),
  });
  expect(balancers()).toEqual(['application edge-envoy']);
  await answers(() => given);
  // The controller's own, of the authority of the gateway.
  const { data } = await cluster.client.get<V1Secret>(`${SECRETS}/edge-tls`);
  const authority = Buffer.from(data!['ca.crt']!, 'base64').toString();
  expect((await askModels(`edge-envoy.${SYSTEM_NAMESPACE}.svc`, authority)).status).toBe(200);
}, 150_000);

test('acmArn on an NLB is taken, with a warning in the status', async () => {
  await gateway.apply({ endpoint: { type: 'nlb' }, tls: { acmArn: GIVEN } });
  await gateway.untilSays('Accepted', { status: 'True' }, /Warning: .*350 s/);
  await untilOnly('network edge-envoy');
  await programmed();
  expect((await gateway.service()).metadata?.annotations).toMatchObject({
    [`${NLB}scheme`]: 'internal',
    [`${NLB}ssl-cert`]: GIVEN,
    [`${NLB}backend-protocol`]: 'ssl',
  });
  await answers(() => given);
  expect(await ingress()).toBeUndefined();
}, 120_000);

test('targetGroupArn binds a load balancer that is there, and none is made', async () => {
  await gateway.apply({ endpoint: { targetGroupArn: FIRST } });
  await untilOnly();
  await programmed();
  expect(await boundGroups()).toEqual([FIRST]);
  expect((await gateway.service()).spec?.type).toBe('ClusterIP');
  const service = `edge-envoy.${SYSTEM_NAMESPACE}.svc`;
  await cluster.until('it answers', async () => (await askModels(service, await gateway.authority())).status === 200);

  await gateway.apply({ endpoint: { targetGroupArn: SECOND } });
  await cluster.until('the other is bound alone', async () => `${await boundGroups()}` === SECOND);
  await cluster.until('the first is let go', () => aws.journal.includes(`${FIRST} is unbound`));
}, 120_000);

test('an ALB without acmArn shows the issued certificate, as soon as ACM has it', async () => {
  await gateway.apply({ endpoint: { type: 'alb' } });
  await untilOnly('application edge-envoy');
  await programmed();
  const { acmArn } = (await gateway.status()).tls!;
  expect((await ingress())?.metadata?.annotations).toMatchObject({ [`${ALB}certificate-arn`]: acmArn });
  await answers(() => gateway.authority());
  expect(await boundGroups()).toEqual([]);
}, 120_000);

test('deletion removes the load balancer, then the imported certificate once ACM lets it, then the config', async () => {
  const { acmArn } = (await gateway.status()).tls!;
  const from = aws.journal.length;
  await cluster.client.delete(gateway.path);
  await gone(gateway.path);
  expect(aws.journal.slice(from)).toEqual([
    'application edge-envoy is being removed',
    'application edge-envoy is removed',
    `DeleteCertificate ${acmArn} ResourceInUseException`,
    `DeleteCertificate ${acmArn} ok`,
  ]);
  expect(await cluster.client.find(`${SECRETS}/edge-imported-certificate`)).toBeUndefined();
}, 120_000);

test('a certificate that the config has named stays in ACM', async () => {
  const other = endpointGateway(cluster, 'other');
  await other.apply({ tls: { acmArn: GIVEN } });
  await untilOnly('application other-envoy');
  await cluster.client.delete(other.path);
  await gone(other.path);
  expect(balancers()).toEqual([]);
  expect([...aws.acm.certificates.keys()]).toEqual([GIVEN]);
  expect(aws.journal.filter((line) => line.includes(GIVEN))).toEqual([]);
}, 120_000);

async function boundGroups(): Promise<string[]> {
  interface Binding {
    readonly spec: { readonly targetGroupARN: string };
  }
  const { items } = await cluster.client.get<{ items: Binding[] }>(BINDINGS);
  return items.map(({ spec }) => spec.targetGroupARN);
}

async function gone(path: string): Promise<void> {
  await cluster.until('it is gone', async () => (await cluster.client.find(path)) === undefined, { timeout: 90_000 });
}
